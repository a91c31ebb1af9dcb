//! Physiology of the athlete: cost of an effort and heart rate response.

use super::season::Season;
use chrono::Datelike;
use fitness_core::domain::calendar::Day;

pub(super) const MAX_HEART_RATE: f64 = 187.0;
/// Heart rate that can be sustained for about an hour.
pub(super) const THRESHOLD_HEART_RATE: f64 = 172.0;

/// The body on one day.
#[derive(Debug, Clone, Copy)]
pub(super) struct Body {
    pub(super) vdot: f64,
    /// Heart rate at rest.
    pub(super) resting_heart_rate: f64,
    /// Daily deviation of the heart rate at the same effort, from sleep, load or illness.
    pub(super) form: f64,
    /// Warmth, -1 to 1; heat causes heart rate drift.
    pub(super) heat: f64,
    /// FTP on the bike, watts.
    pub(super) threshold_power: f64,
    pub(super) kg: f64,
}

impl Body {
    pub(super) fn on_day(season: &Season<'_>, day: Day) -> Self {
        let mut dice = season.rng("body", day);
        let vdot = season.fitness(day);
        // Warmest at the end of July.
        let year = f64::from(day.date().ordinal()) / 365.25;
        let heat = (std::f64::consts::TAU * (year - 0.57)).cos() * 0.7 + dice.normal() * 0.2;
        Self {
            vdot,
            resting_heart_rate: 52.0 - 0.9 * (vdot - 44.0),
            form: dice.normal() * 1.6 + 10.0 * season.illness(day),
            heat,
            threshold_power: 186.0 + 3.0 * (vdot - 44.0),
            kg: 62.0 - 0.4 * (vdot - 44.0),
        }
    }

    /// Steady-state heart rate of an effort. The fraction of heart rate reserve is about the
    /// fraction of VO2max (Swain and Leutholtz 1997): 0.70 with 52 at rest and 187 max gives 146.5.
    pub(super) fn heart_rate_at(&self, effort: f64) -> f64 {
        // Flattens near the maximum.
        let share = if effort > 0.9 { 0.9 + (effort - 0.9) * 0.6 } else { effort };
        self.resting_heart_rate + share.clamp(0.0, 1.0) * (MAX_HEART_RATE - self.resting_heart_rate)
    }

    /// Heart rate as a fraction of the reserve.
    pub(super) fn reserve(&self, heart_rate: f64) -> f64 {
        ((heart_rate - self.resting_heart_rate) / (MAX_HEART_RATE - self.resting_heart_rate)).clamp(0.0, 1.0)
    }

    /// Banister's TRIMP per minute at a fraction of the reserve, with the constants for women.
    pub(super) fn impulse(reserve: f64) -> f64 {
        0.86 * reserve * (1.67 * reserve).exp()
    }

    /// Kilocalories per minute at a fraction of the reserve; a litre of oxygen is about 5 kcal.
    pub(super) fn kcal(&self, reserve: f64) -> f64 {
        reserve * self.vdot * self.kg * 0.005
    }
}

/// Oxygen cost of running on the flat in ml/kg/min (Daniels and Gilbert 1979), speed in m/s.
pub(super) fn uptake_at(speed: f64) -> f64 {
    let v = speed * 60.0;
    -4.60 + 0.182_258 * v + 0.000_104 * v * v
}

/// Inverse of [`uptake_at`], in m/s: 0.88 of a VDOT of 50 gives 3.92.
pub(super) fn speed_at(uptake: f64) -> f64 {
    let (a, b, c) = (0.000_104, 0.182_258, -4.60 - uptake);
    (-b + (b * b - 4.0 * a * c).sqrt()) / (2.0 * a) / 60.0
}

/// Race time in seconds at a VDOT (Daniels and Gilbert 1979): 10 km at 50 takes 2480.
pub(super) fn race_time(vdot: f64, meters: f64) -> f64 {
    let (mut low, mut high) = (200.0_f64, 30_000.0_f64);
    // Bisection: a slower pace needs less than the sustainable fraction.
    for _ in 0..50 {
        let seconds = f64::midpoint(low, high);
        let t = seconds / 60.0;
        let kept = 0.8 + 0.189_439_3 * (-0.012_778 * t).exp() + 0.298_955_8 * (-0.193_260_5 * t).exp();
        if uptake_at(meters / seconds) > kept * vdot { low = seconds } else { high = seconds }
    }
    high
}

/// Energy cost of a slope relative to the flat (Minetti et al. 2002), with a lower bound downhill.
pub(super) fn slope_cost(grade: f64) -> f64 {
    let i = grade.clamp(-0.45, 0.45);
    let cost = ((((155.4 * i - 30.4) * i - 43.3) * i + 46.3) * i + 19.5) * i + 3.6;
    (cost / 3.6).max(0.88)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speed_and_uptake_are_each_others_inverse() {
        for speed in [2.0, 3.0, 4.5] {
            assert!((speed_at(uptake_at(speed)) - speed).abs() < 1e-9);
        }
        assert!((speed_at(0.88 * 50.0) - 3.92).abs() < 0.01);
        assert!((race_time(50.0, 10_000.0) - 2479.6).abs() < 2.0);
        assert!((slope_cost(0.10) - 1.658).abs() < 0.001);
    }
}
