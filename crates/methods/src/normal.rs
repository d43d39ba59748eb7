//! Normally distributed random numbers.

use std::f64::consts::TAU;

use gauntlet_core::rng::Rng;

/// Draws from the standard normal distribution by the Box–Muller method (1958), with equal results
/// on every platform.
pub fn draw_normal(rng: &mut Rng) -> f64 {
    // Multiples of 2^-53, one in (0, 1] and one in [0, 1).
    let unit = 1.0 / (1_u64 << 53) as f64;
    let radius = (-2.0 * libm::log(((rng.bits() >> 11) + 1) as f64 * unit)).sqrt();
    radius * libm::cos(TAU * rng.unit())
}

#[cfg(test)]
mod tests {
    use gauntlet_core::rng::Seed;

    use super::*;

    #[test]
    fn it_has_the_moments_of_the_normal_distribution() {
        let mut rng = Seed::root(1).rng();
        let draws: Vec<f64> = (0..100_000).map(|_| draw_normal(&mut rng)).collect();
        let moment = |power: i32| draws.iter().map(|x| x.powi(power)).sum::<f64>() / draws.len() as f64;
        // Five standard errors.
        for (power, expected, error) in
            [(1, 0.0, 0.0032), (2, 1.0, 0.0045), (3, 0.0, 0.0123), (4, 3.0, 0.031)]
        {
            let value = moment(power);
            assert!((value - expected).abs() < 5.0 * error, "moment {power}: {value}");
        }
    }
}
