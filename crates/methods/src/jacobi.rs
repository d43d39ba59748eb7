//! Eigenvalues and eigenvectors of a small symmetric matrix, by Jacobi rotations (1846).

/// Matrix as a list of rows.
pub(super) type Matrix = Vec<Vec<f64>>;

/// Returns the identity matrix.
pub(super) fn identity(size: usize) -> Matrix {
    (0..size).map(|row| (0..size).map(|column| f64::from(u8::from(row == column))).collect()).collect()
}

/// Returns the eigenvalues of a symmetric matrix, and a matrix whose columns are unit eigenvectors.
pub(super) fn eigen(matrix: &Matrix) -> (Vec<f64>, Matrix) {
    let size = matrix.len();
    let mut a = matrix.clone();
    let mut vectors = identity(size);
    // Each sweep roughly squares the off-diagonal rest; a 20 by 20 matrix takes about seven.
    for _ in 0..50 {
        let off_diagonal: f64 = pairs(size).map(|(p, q)| a[p][q] * a[p][q]).sum();
        let total: f64 = a.iter().flatten().map(|x| x * x).sum();
        if off_diagonal <= 1e-30 * total {
            break;
        }
        for (p, q) in pairs(size) {
            rotate(&mut a, &mut vectors, p, q);
        }
    }
    ((0..size).map(|i| a[i][i]).collect(), vectors)
}

/// Iterates over the entries above the diagonal.
fn pairs(size: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..size).flat_map(move |p| (p + 1..size).map(move |q| (p, q)))
}

/// Zeroes the entry at (`p`, `q`) of `a` by a Jacobi rotation, and applies the rotation to
/// `vectors`.
fn rotate(a: &mut Matrix, vectors: &mut Matrix, p: usize, q: usize) {
    if a[p][q] == 0.0 {
        return;
    }
    // Tangent of the smaller of the two angles.
    let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    let tangent = 1.0_f64.copysign(theta) / (theta.abs() + (theta * theta + 1.0).sqrt());
    let cosine = 1.0 / (tangent * tangent + 1.0).sqrt();
    let sine = tangent * cosine;
    let rotate_pair = |x: f64, y: f64| (cosine * x - sine * y, sine * x + cosine * y);
    for row in a.iter_mut().chain(vectors) {
        (row[p], row[q]) = rotate_pair(row[p], row[q]);
    }
    let (upper, lower) = a.split_at_mut(q);
    for (x, y) in upper[p].iter_mut().zip(&mut lower[0]) {
        (*x, *y) = rotate_pair(*x, *y);
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_core::rng::Seed;

    use super::*;

    #[test]
    fn values_and_vectors_make_the_matrix() {
        for size in [1, 2, 3, 6, 20] {
            let mut rng = Seed::root(size as u64).rng();
            let mut matrix = identity(size);
            for (p, q) in pairs(size) {
                matrix[p][q] = rng.below(2001) as f64 / 1000.0 - 1.0;
                matrix[q][p] = matrix[p][q];
            }
            let (values, vectors) = eigen(&matrix);
            for p in 0..size {
                for q in 0..size {
                    let sum = |f: &dyn Fn(usize) -> f64| (0..size).map(f).sum::<f64>();
                    let entry = sum(&|i| vectors[p][i] * values[i] * vectors[q][i]);
                    assert!((entry - matrix[p][q]).abs() < 1e-12, "{size}: {entry} is not {}", matrix[p][q]);
                    let product = sum(&|i| vectors[i][p] * vectors[i][q]);
                    assert!((product - f64::from(u8::from(p == q))).abs() < 1e-12);
                }
            }
        }
        let (mut values, _) = eigen(&vec![vec![2.0, 1.0], vec![1.0, 2.0]]);
        values.sort_by(f64::total_cmp);
        assert!((values[0] - 1.0).abs() < 1e-15 && (values[1] - 3.0).abs() < 1e-15);
    }
}
