//! Corrections for multiple tests.

/// Returns Holm-adjusted p-values (1979). If all at or below a level are rejected, a true null
/// hypothesis is among them with at most that probability.
///
/// The smallest of n is multiplied by n, the next by n - 1, and so on. None is less than an
/// adjusted smaller one, and none exceeds 1.
pub fn holm(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|&one, &other| p[one].total_cmp(&p[other]));
    let mut adjusted = vec![0.0; p.len()];
    let mut running_max = 0.0_f64;
    for (rank, &index) in order.iter().enumerate() {
        running_max = running_max.max((p.len() - rank) as f64 * p[index]).min(1.0);
        adjusted[index] = running_max;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn none_one_and_equal_ones() {
        assert_eq!(holm(&[]), Vec::<f64>::new());
        assert_eq!(holm(&[0.03]), [0.03]);
        assert_eq!(holm(&[0.25, 0.25, 0.25]), [0.75, 0.75, 0.75]);
        assert_eq!(holm(&[0.5, 0.5, 1.0]), [1.0, 1.0, 1.0]);
        assert_eq!(holm(&[0.0, 0.0]), [0.0, 0.0]);
    }
}
