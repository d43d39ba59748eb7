//! Score statistic of a difference of two rates, after Farrington and Manning (1990), also known
//! from Miettinen and Nurminen. It is the distance of the observed difference from a border, in
//! standard errors. The standard error is computed at the most likely rates whose difference is the
//! border.

/// Largest statistic. Beyond it p is below the smallest reported one, and the skewness correction
/// is invalid.
pub(super) const MAX_STATISTIC: f64 = 9.0;

/// Statistic for given numbers of trials and a given border.
pub(super) struct Score {
    pub(super) trials: (f64, f64),
    /// Tested difference of rates.
    pub(super) border: f64,
}

impl Score {
    pub(super) fn new(first: u64, second: u64, border: f64) -> Score {
        Score { trials: (first as f64, second as f64), border }
    }

    /// Returns by how many standard errors the difference of rates exceeds the border; 0 if nothing
    /// can vary.
    pub(super) fn statistic(&self, first: u64, second: u64) -> f64 {
        let (m, n) = self.trials;
        let (p1, p2) = self.likely_rates(first as f64, second as f64);
        let variance = p1 * (1.0 - p1) / m + p2 * (1.0 - p2) / n;
        let excess = first as f64 / m - second as f64 / n - self.border;
        if variance > 0.0 { excess / variance.sqrt() } else { excess * f64::MAX.sqrt() }
    }

    /// Returns the statistic corrected for the skewness of both binomial distributions, after Gart
    /// and Nam (1990).
    pub(super) fn corrected_statistic(&self, first: u64, second: u64) -> f64 {
        let (m, n) = self.trials;
        let (p1, p2) = self.likely_rates(first as f64, second as f64);
        let (v1, v2) = (p1 * (1.0 - p1) / m, p2 * (1.0 - p2) / n);
        let variance = v1 + v2;
        let third_moment = v1 * (1.0 - 2.0 * p1) / m - v2 * (1.0 - 2.0 * p2) / n;
        let z = self.statistic(first, second).clamp(-MAX_STATISTIC, MAX_STATISTIC);
        if variance > 0.0 { z - third_moment / (variance * variance.sqrt()) * (z * z - 1.0) / 6.0 } else { z }
    }

    /// Returns the most likely rates whose difference is the border.
    ///
    /// The second rate maximizes the likelihood, where its slope is 0: a root of (x - m p) q (1 -
    /// q) + (y - n q) p (1 - p), with p = q + border. There is one between the bounds, found by
    /// Newton's method, with bisection if a step leaves them.
    fn likely_rates(&self, first: f64, second: f64) -> (f64, f64) {
        let (m, n) = self.trials;
        let border = self.border;
        if border == 0.0 {
            let common_rate = (first + second) / (m + n);
            return (common_rate, common_rate);
        }
        let (mut low, mut high) = ((-border).max(0.0), (1.0 - border).min(1.0));
        let mut q = ((first - m * border + second) / (m + n)).clamp(low, high);
        for _ in 0..100 {
            let p = q + border;
            let (excess1, excess2) = (first - m * p, second - n * q);
            let (v1, v2) = (p * (1.0 - p), q * (1.0 - q));
            let slope = excess1 * v2 + excess2 * v1;
            if slope > 0.0 {
                low = q
            } else {
                high = q
            }
            let curvature = -m * v2 + excess1 * (1.0 - 2.0 * q) - n * v1 + excess2 * (1.0 - 2.0 * p);
            let next = q - slope / curvature;
            let next = if low <= next && next <= high { next } else { f64::midpoint(low, high) };
            let step = (next - q).abs();
            q = next;
            if step <= 1e-15 * q.min(1.0 - q) || high - low <= 1e-18 {
                break;
            }
        }
        ((q + border).clamp(0.0, 1.0), q)
    }
}
