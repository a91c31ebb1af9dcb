//! Deterministic random numbers.

/// SplitMix64 (Steele, Lea and Flood 2014). Implemented here because the demo must not change with
/// updates, and the `rand` crate may change its generators.
#[derive(Debug, Clone)]
pub(super) struct Rng(u64);

impl Rng {
    /// An independent stream per purpose and day, so that an additional number in one place changes
    /// nothing elsewhere.
    pub(super) fn new(seed: u64, purpose: &str, number: i64) -> Self {
        let mut dice = Self(seed);
        for byte in purpose.bytes() {
            dice.0 = dice.next_u64() ^ u64::from(byte);
        }
        dice.0 = dice.next_u64() ^ number.cast_unsigned();
        dice
    }

    fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(super) fn uniform(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub(super) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.uniform()
    }

    pub(super) fn below(&mut self, count: i64) -> i64 {
        (self.uniform() * count as f64) as i64
    }

    /// True with this probability.
    pub(super) fn happens(&mut self, probability: f64) -> bool {
        self.uniform() < probability
    }

    /// Approximately standard normal, at most 3.5: the sum of four uniform numbers.
    pub(super) fn normal(&mut self) -> f64 {
        let bits = self.next_u64();
        let sum: u64 = (0..4).map(|i| (bits >> (16 * i)) & 0xffff).sum();
        (sum as f64 / 65_535.0 - 2.0) * 3.0_f64.sqrt()
    }
}

#[derive(Debug)]
pub(super) struct CorrelatedNoise {
    value: f64,
    retention: f64,
    deviation: f64,
}

impl CorrelatedNoise {
    /// Standard deviation `size`, correlation time `seconds`.
    pub(super) fn new(size: f64, seconds: f64) -> Self {
        let retention = 1.0 - 1.0 / seconds;
        Self { value: 0.0, retention, deviation: size * (1.0 - retention * retention).sqrt() }
    }

    pub(super) fn step(&mut self, dice: &mut Rng) -> f64 {
        self.value = self.value * self.retention + dice.normal() * self.deviation;
        self.value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rng_matches_splitmix64_and_purposes_are_independent() {
        let mut dice = Rng(1_234_567);
        assert_eq!(
            [dice.next_u64(), dice.next_u64()],
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973]
        );
        let first = |purpose, number| Rng::new(1, purpose, number).uniform();
        assert!(first("sleep", 1) != first("sleep", 2) && first("sleep", 1) != first("stress", 1));
    }

    #[test]
    fn normal_is_about_normal() {
        let mut dice = Rng::new(7, "normal", 0);
        let throws: Vec<f64> = (0..10_000).map(|_| dice.normal()).collect();
        let mean = throws.iter().sum::<f64>() / 10_000.0;
        let variance = throws.iter().map(|x| x * x).sum::<f64>() / 10_000.0;
        assert!(mean.abs() < 0.03 && (variance - 1.0).abs() < 0.05, "{mean} {variance}");
    }
}
