//! Floats of which many are zero, as checkpoints store them. Each block is a byte that is 1 and the
//! floats of the block, or a byte that is 0 if all of them are zero.
//!
//! After 10,000 games of 4x6 four of five blocks are zero. So a checkpoint takes a quarter of the
//! time to digest, write and read.

use std::io::{self, Read, Write};

/// Number of floats per block.
const BLOCK_LENGTH: usize = 64;

/// Number of bytes that are written at once, or more by less than a block.
const WRITE_LENGTH: usize = 1 << 16;

/// Writes floats in little-endian order.
pub(super) fn write(floats: &[f32], out: &mut dyn Write) -> io::Result<()> {
    let mut bytes = Vec::with_capacity(WRITE_LENGTH + 1 + size_of::<[f32; BLOCK_LENGTH]>());
    for block in floats.chunks(BLOCK_LENGTH) {
        let is_zero = block.iter().fold(0, |bits, float| bits | float.to_bits()) == 0;
        bytes.push(u8::from(!is_zero));
        if !is_zero {
            let mut block_bytes = [[0; 4]; BLOCK_LENGTH];
            for (bytes, float) in block_bytes.iter_mut().zip(block) {
                *bytes = float.to_le_bytes();
            }
            bytes.extend_from_slice(block_bytes[..block.len()].as_flattened());
        }
        if bytes.len() >= WRITE_LENGTH {
            out.write_all(&bytes)?;
            bytes.clear();
        }
    }
    out.write_all(&bytes)
}

/// Reads as many floats as [`write`] has written, from a buffered reader.
pub(super) fn read(floats: &mut [f32], reader: &mut dyn Read) -> io::Result<()> {
    for block in floats.chunks_mut(BLOCK_LENGTH) {
        let mut flag = [0];
        reader.read_exact(&mut flag)?;
        match flag {
            [0] => block.fill(0.0),
            [1] => {
                let mut block_bytes = [[0; 4]; BLOCK_LENGTH];
                reader.read_exact(block_bytes[..block.len()].as_flattened_mut())?;
                for (float, bytes) in block.iter_mut().zip(block_bytes) {
                    *float = f32::from_le_bytes(bytes);
                }
            }
            _ => return Err(io::Error::new(io::ErrorKind::InvalidData, "invalid block of weights")),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Zeros, one nonzero float per block or several blocks, the negative zero, and an incomplete
    /// block at the end.
    #[test]
    fn what_was_written_is_read() {
        for length in [0, 1, BLOCK_LENGTH, 3 * BLOCK_LENGTH + 1, 1000 * BLOCK_LENGTH] {
            for step in [1, 7, BLOCK_LENGTH + 1, 5 * BLOCK_LENGTH, usize::MAX] {
                let mut floats = vec![0.0; length];
                for (number, float) in floats.iter_mut().step_by(step).enumerate() {
                    *float = if number == 0 { -0.0 } else { number as f32 / 3.0 };
                }
                let mut bytes = Vec::new();
                write(&floats, &mut bytes).expect("a list takes all");
                let mut read_floats = vec![1.5; length];
                let mut rest = &bytes[..];
                read(&mut read_floats, &mut rest).expect("the same");
                let bits = |floats: &[f32]| floats.iter().map(|float| float.to_bits()).collect::<Vec<_>>();
                assert_eq!(bits(&read_floats), bits(&floats), "{length} {step}");
                assert!(rest.is_empty());
                assert_eq!(
                    length > 0,
                    read(&mut read_floats, &mut &bytes[..bytes.len().saturating_sub(1)]).is_err()
                );
            }
        }
    }

    #[test]
    fn zeros_take_a_byte_per_block() {
        let mut bytes = Vec::new();
        write(&[0.0; 10 * BLOCK_LENGTH], &mut bytes).expect("a list takes all");
        assert_eq!(bytes, [0; 10]);
        bytes[3] = 2;
        let error = read(&mut [0.0; 10 * BLOCK_LENGTH], &mut &bytes[..]).expect_err("an invalid flag");
        assert_eq!(error.to_string(), "invalid block of weights");
    }
}
