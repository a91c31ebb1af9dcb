//! Daily wellness: sleep, HRV, resting heart rate, stress, steps.

use super::physiology::Body;
use super::season::Season;
use chrono::Weekday;
use fitness_core::domain::calendar::{Day, Instant};

/// Days of load that influence wellness.
const LOAD_MEMORY_DAYS: i64 = 56;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WearTime {
    Always,
    DaytimeOnly,
    Never,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Night {
    pub(super) started_at: Instant,
    pub(super) ended_at: Instant,
    pub(super) deep: i64,
    pub(super) light: i64,
    pub(super) rem: i64,
    pub(super) awake: i64,
    pub(super) score: i64,
}

/// A day and the night before it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Vitals {
    pub(super) day: Day,
    pub(super) wear_time: WearTime,
    pub(super) night: Night,
    pub(super) resting_heart_rate: f64,
    /// Nightly mean rMSSD, milliseconds.
    pub(super) hrv: f64,
    pub(super) hrv_baseline: f64,
    pub(super) stress: i64,
    pub(super) max_stress: i64,
    pub(super) body_battery: (i64, i64),
    pub(super) respiration: f64,
    pub(super) spo2: f64,
    pub(super) skin_temperature: f64,
    pub(super) steps: i64,
    /// Morning weight in grams.
    pub(super) weight_grams: Option<f64>,
    pub(super) acute: f64,
    pub(super) chronic: f64,
    pub(super) vdot: f64,
}

/// Training load by day.
#[derive(Debug)]
pub(super) struct DailyLoads {
    first: Day,
    loads: Vec<f64>,
}

impl DailyLoads {
    /// For days from `first` to `last`.
    pub(super) fn new(season: &Season<'_>, first: Day, last: Day) -> Self {
        // One more week, because some values look back a week.
        let first = first.plus_days(-LOAD_MEMORY_DAYS - 7);
        Self { first, loads: first.through(last).map(|day| season.load(day)).collect() }
    }

    pub(super) fn on_day(&self, day: Day) -> f64 {
        let index = usize::try_from(self.first.days_until(day)).ok();
        index.and_then(|index| self.loads.get(index)).copied().unwrap_or_default()
    }

    /// Exponentially weighted mean of the days before `day`.
    fn weighted_mean(&self, day: Day, tau: f64) -> f64 {
        let share = |ago: i64| (-(ago as f64) / tau).exp();
        let (sum, weights) = (1..=LOAD_MEMORY_DAYS)
            .map(|ago| (self.on_day(day.plus_days(-ago)) * share(ago), share(ago)))
            .fold((0.0, 0.0), |(a, b), (x, y)| (a + x, b + y));
        sum / weights
    }
}

impl Vitals {
    pub(super) fn on_day(season: &Season<'_>, loads: &DailyLoads, day: Day) -> Self {
        let mut dice = season.rng("vitals", day);
        let body = Body::on_day(season, day);
        let ill = season.illness(day);
        let (acute, chronic) = (loads.weighted_mean(day, 7.0), loads.weighted_mean(day, 28.0));
        // Depends on yesterday's load and on the acute load.
        let fatigue = loads.on_day(day.previous()) / 100.0 + (acute - chronic) / 40.0;
        let jet_lag = if season.is_jet_lagged(day) { 1.0 } else { 0.0 };
        let nervous = if season.is_race(day) { 1.0 } else { 0.0 };
        let hrv_baseline = 54.0 + 1.5 * (body.vdot - 44.0);
        let strain = 0.075 * (fatigue - 0.5) + 0.36 * ill + 0.12 * jet_lag + 0.08 * nervous;
        let hrv = hrv_baseline * (0.11 * dice.normal() - strain).exp();
        let weekend = matches!(day.weekday(), Weekday::Sat | Weekday::Sun);
        let wear_time = match dice.uniform() {
            // The watch is worn on the day of the export.
            _ if day == season.last_day => WearTime::Always,
            x if x < 0.015 => WearTime::Never,
            x if x < 0.075 => WearTime::DaytimeOnly,
            _ => WearTime::Always,
        };
        let asleep = 7.2 + if weekend { 0.6 } else { 0.0 } + 0.55 * dice.normal() - 1.1 * nervous - jet_lag;
        let night = night(season, day, (asleep - 0.4 * ill).clamp(4.5, 9.6), ill + 0.4 * nervous);
        let stress = (27.0 + 4.0 * dice.normal() + 22.0 * ill + 3.0 * fatigue).clamp(12.0, 75.0) as i64;
        let high =
            (91.0 - 12.0 * fatigue.max(0.0) - 45.0 * ill + 5.0 * dice.normal()).clamp(25.0, 100.0) as i64;
        let low = (high - 55 - dice.below(18)).max(5);
        let trained = loads.on_day(day) * 75.0;
        let steps = (6400.0 + 1900.0 * dice.normal() - 4000.0 * ill).max(900.0) + trained;
        let weighed = matches!(day.weekday(), Weekday::Mon | Weekday::Thu) && dice.happens(0.8);
        Self {
            day,
            wear_time,
            night,
            resting_heart_rate: body.resting_heart_rate
                + 1.6 * dice.normal()
                + 1.1 * (fatigue - 0.5)
                + 9.0 * ill
                + jet_lag,
            hrv,
            hrv_baseline,
            stress,
            max_stress: (stress + 52 + dice.below(18)).min(99),
            body_battery: (low, high),
            respiration: 13.4 + 0.4 * dice.normal() + 2.4 * ill,
            spo2: 95.5 + 0.8 * dice.normal() - 1.2 * ill,
            skin_temperature: 0.15 * dice.normal() + 0.8 * ill,
            steps: steps as i64,
            weight_grams: weighed.then(|| ((body.kg * 10.0 + 3.0 * dice.normal()).round()) * 100.0),
            acute,
            chronic,
            vdot: body.vdot,
        }
    }
}

fn night(season: &Season<'_>, day: Day, hours: f64, trouble: f64) -> Night {
    let mut dice = season.rng("night", day);
    let wakes = match day.weekday() {
        Weekday::Sat | Weekday::Sun => 7.4,
        _ => 6.0,
    };
    // Seconds relative to midnight of the day of waking; the evening before is negative.
    let ends =
        season.local_instant(day, ((wakes + 0.25 * dice.normal() + 0.4 * trouble) * 3600.0) as i64 / 60 * 60);
    let awake = ((900.0 + 2600.0 * trouble) * dice.between(0.5, 1.5)) as i64 / 60 * 60;
    let asleep = (hours * 3600.0) as i64 / 60 * 60;
    let part = |share: f64| (asleep as f64 * share) as i64 / 60 * 60;
    let (deep, rem) = (part(0.17 + 0.03 * dice.normal() - 0.05 * trouble), part(0.22 + 0.03 * dice.normal()));
    let score = 84.0 + 6.0 * (hours - 7.4) - 26.0 * trouble + 4.0 * dice.normal();
    Night {
        started_at: ends - chrono::TimeDelta::seconds(asleep + awake),
        ended_at: ends,
        deep,
        rem,
        light: asleep - deep - rem,
        awake,
        score: score.clamp(20.0, 99.0) as i64,
    }
}
