//! Coach API: daily snapshot, metric series, period comparison and training load.

use super::{StoreCoachApi, check_period, to_coach_error};
use crate::training::activities::StoredActivity;
use fitness_core::adherence::data_frontier::{DataFrontier, DayCoverage};
use fitness_core::coach_api::CoachApiError;
use fitness_core::coach_api::requests::{ComparisonRequest, DayRequest, Period, SeriesMetric, SeriesRequest};
use fitness_core::coach_api::responses::{
    DailySnapshot, FactItem, MetricSeries, ObservationItem, PeriodComparison, PeriodTotals,
    TrainingLoadResponse, WeekTrainingTotals,
};
use fitness_core::domain::calendar::Day;
use fitness_core::domain::observation::Observation;
use fitness_core::domain::sport::Sport;
use fitness_core::domain::units::{Distance, TimeSpan, UnitSystem};
use fitness_core::domain::untrusted_text::format_number;
use fitness_core::facts::{FactName, Facts};
use fitness_core::metrics::Quality;
use fitness_core::metrics::day::DayMetrics;
use std::collections::BTreeMap;

type CoachResult<T> = Result<T, CoachApiError>;

/// Weeks of history in the training load.
const HISTORY_WEEKS: i64 = 8;

const LOAD_FACTS: &[FactName] = &[
    FactName::Fitness,
    FactName::FitnessSettled,
    FactName::Fatigue,
    FactName::Form,
    FactName::FormBand,
    FactName::Ramp,
    FactName::RampBand,
    FactName::Monotony,
    FactName::LoadYesterday,
    FactName::Load7Days,
    FactName::Load7DaysBefore,
    FactName::Load7To28Days,
];

impl StoreCoachApi {
    /// The requested day, today by default; never a future day.
    fn resolve_day(&self, ask: DayRequest) -> CoachResult<Day> {
        match ask.date {
            Some(day) if day > self.today => {
                Err(CoachApiError::invalid(format!("{day} is in the future; today is {}.", self.today)))
            }
            Some(day) => Ok(day),
            None => Ok(self.today),
        }
    }

    pub(super) async fn read_day(&self, ask: DayRequest) -> CoachResult<DailySnapshot> {
        let date = self.resolve_day(ask)?;
        let facts = self.store().facts(self.user(), date).await.map_err(to_coach_error)?;
        let marked = self.store().list_observations(self.user(), date, date).await.map_err(to_coach_error)?;
        let (sessions, last_judged, waiting) = self.workouts_around(date).await?;
        Ok(DailySnapshot {
            date,
            facts: known_facts(&facts, self.units, |_| true),
            missing: missing_facts(&facts, |_| true),
            sessions,
            last_judged,
            marked: describe_observations(&marked),
            waiting,
        })
    }

    pub(super) async fn read_series(&self, ask: SeriesRequest) -> CoachResult<MetricSeries> {
        let (from, through) = check_period(ask.from, ask.through)?;
        let days = self.store().list_day_metrics(self.user(), from, through).await.map_err(to_coach_error)?;
        let points: Vec<(Day, f64)> = match ask.metric {
            SeriesMetric::RunDistance | SeriesMetric::TrainingMinutes => {
                self.daily_sums(ask.metric, from, through, &days).await?
            }
            metric => days
                .iter()
                .filter_map(|day| Some((day.day, round_to_tenth(series_value(metric, day)?))))
                .collect(),
        };
        let mean = points.iter().map(|(_, value)| value).sum::<f64>() / points.len() as f64;
        Ok(MetricSeries {
            metric: ask.metric.to_string(),
            unit: unit(ask.metric, self.units).to_owned(),
            mean: (!points.is_empty()).then_some(round_to_tenth(mean)),
            points,
        })
    }

    /// Totals per complete day. A complete day without an activity counts as zero.
    async fn daily_sums(
        &self,
        metric: SeriesMetric,
        from: Day,
        through: Day,
        days: &[DayMetrics],
    ) -> CoachResult<Vec<(Day, f64)>> {
        let stored =
            self.store().list_activities(self.user(), from, through).await.map_err(to_coach_error)?;
        let mut sums: BTreeMap<Day, f64> =
            days.iter().filter(|day| day.training.is_ok()).map(|day| (day.day, 0.0)).collect();
        for one in &stored {
            let Some(sum) = sums.get_mut(&one.day) else { continue };
            *sum += match metric {
                SeriesMetric::RunDistance if one.activity.sport == Sport::Running => {
                    let distance = one.activity.distance.unwrap_or_default();
                    if self.units == UnitSystem::Imperial { distance.miles() } else { distance.km() }
                }
                SeriesMetric::RunDistance => 0.0,
                _ => one.activity.training_time().unwrap_or_default().seconds() / 60.0,
            };
        }
        Ok(sums.into_iter().map(|(day, sum)| (day, round_to_tenth(sum))).collect())
    }

    pub(super) async fn read_comparison(&self, ask: ComparisonRequest) -> CoachResult<PeriodComparison> {
        let frontier = self.store().frontier(self.user()).await.map_err(to_coach_error)?;
        let this = self.sum_period(ask.this, frontier).await?;
        let that = self.sum_period(ask.that, frontier).await?;
        let mut change = BTreeMap::new();
        for (measure, value) in &this.values {
            if let Some(before) = that.values.get(measure) {
                change
                    .insert((*measure).to_owned(), format_measure(measure, value - before, self.units, true));
            }
        }
        Ok(PeriodComparison {
            this: this.into_response(self.units),
            that: that.into_response(self.units),
            change,
        })
    }

    async fn sum_period(&self, period: Period, frontier: DataFrontier) -> CoachResult<PeriodSums> {
        let (from, through) = check_period(period.from, period.through)?;
        let days = self.store().list_day_metrics(self.user(), from, through).await.map_err(to_coach_error)?;
        let stored =
            self.store().list_activities(self.user(), from, through).await.map_err(to_coach_error)?;
        Ok(PeriodSums::new(period, &days, &stored, frontier))
    }

    pub(super) async fn read_training_load(&self, ask: DayRequest) -> CoachResult<TrainingLoadResponse> {
        let date = self.resolve_day(ask)?;
        let facts = self.store().facts(self.user(), date).await.map_err(to_coach_error)?;
        let of_load = |id: &str| LOAD_FACTS.iter().any(|name| name.as_str() == id);
        let frontier = self.store().frontier(self.user()).await.map_err(to_coach_error)?;
        let monday = date.iso_week().monday();
        let first = monday.plus_days(-7 * (HISTORY_WEEKS - 1));
        let stored = self.store().list_activities(self.user(), first, date).await.map_err(to_coach_error)?;
        let weeks = (0..HISTORY_WEEKS)
            .map(|week| {
                let from = first.plus_days(7 * week);
                let within = || stored.iter().filter(|one| (from..=from.plus_days(6)).contains(&one.day));
                let load: Option<f64> = within().map(|one| one.load).sum();
                WeekTrainingTotals {
                    from,
                    run_distance: self.units.format_distance(run_distance(within())).to_string(),
                    time: training_time(within()).format_hours_minutes(),
                    load: load.map(|load| format_number(load, 0)),
                    complete: frontier.day_coverage(from.plus_days(6)) == DayCoverage::Complete,
                }
            })
            .collect();
        let (facts, missing) = (known_facts(&facts, self.units, of_load), missing_facts(&facts, of_load));
        Ok(TrainingLoadResponse { date, facts, missing, weeks })
    }
}

pub(super) fn describe_observations(observations: &[Observation]) -> Vec<ObservationItem> {
    (observations.iter().filter(|one| one.accepted))
        .map(|one| ObservationItem {
            kind: one.data.kind(),
            from: one.data.from(),
            through: one.data.through(),
            value: one.data.value(),
            comment: one.data.comment().map(|text| text.as_str().to_owned()),
        })
        .collect()
}

fn known_facts(
    facts: &Facts,
    units: UnitSystem,
    wanted: impl Fn(&str) -> bool,
) -> BTreeMap<String, FactItem> {
    let told = |fact: &fitness_core::facts::Fact| {
        let name: Option<FactName> = fact.id.as_str().parse().ok();
        let told = FactItem {
            shown: fact.format(units),
            meaning: name.map(FactName::meaning).unwrap_or_default().to_owned(),
            as_of: fact.as_of,
            care: (fact.quality != Quality::Ok).then(|| fact.quality.label().to_owned()),
        };
        (fact.id.to_string(), told)
    };
    facts.known().iter().filter(|fact| wanted(fact.id.as_str())).map(told).collect()
}

fn missing_facts(facts: &Facts, wanted: impl Fn(&str) -> bool) -> BTreeMap<String, String> {
    let told = |missing: &fitness_core::facts::MissingFact| (missing.id.to_string(), missing.why.to_string());
    facts.missing().iter().filter(|missing| wanted(missing.id.as_str())).map(told).collect()
}

fn series_value(metric: SeriesMetric, day: &DayMetrics) -> Option<f64> {
    let training = day.training.as_ref().ok();
    match metric {
        SeriesMetric::Fitness => training.map(|training| training.fitness),
        SeriesMetric::Fatigue => training.map(|training| training.fatigue),
        SeriesMetric::Form => Some(day.form.value),
        SeriesMetric::Load => training.map(|training| training.load.total()),
        SeriesMetric::RunDistance | SeriesMetric::TrainingMinutes => None,
        SeriesMetric::Recovery => day.recovery.as_ref().ok().map(|recovery| f64::from(recovery.score)),
        SeriesMetric::Hrv => day.hrv.last_night.as_ref().ok().map(|ln| ln.exp()),
        SeriesMetric::RestingHeartRate => day.resting.reading.value.as_ref().ok().copied(),
        SeriesMetric::SleepMinutes => day.sleep.night.value.as_ref().ok().map(|hours| hours * 60.0),
        SeriesMetric::Stress => day.stress.value.as_ref().ok().copied(),
        SeriesMetric::Weight => day.weight.value.as_ref().ok().copied(),
    }
}

const fn unit(metric: SeriesMetric, units: UnitSystem) -> &'static str {
    match (metric, units) {
        (SeriesMetric::Fitness | SeriesMetric::Fatigue | SeriesMetric::Form | SeriesMetric::Load, _) => {
            "points"
        }
        (SeriesMetric::RunDistance, UnitSystem::Metric) => "km",
        (SeriesMetric::RunDistance, UnitSystem::Imperial) => "mi",
        (SeriesMetric::TrainingMinutes | SeriesMetric::SleepMinutes, _) => "minutes",
        (SeriesMetric::Recovery | SeriesMetric::Stress, _) => "of 100",
        (SeriesMetric::Hrv, _) => "ms",
        (SeriesMetric::RestingHeartRate, _) => "bpm",
        (SeriesMetric::Weight, _) => "kg",
    }
}

/// Rounds to one decimal, to save tokens. Never returns negative zero.
fn round_to_tenth(value: f64) -> f64 {
    (value * 10.0).round() / 10.0 + 0.0
}

fn run_distance<'a>(activities: impl Iterator<Item = &'a StoredActivity>) -> Distance {
    let runs = activities.filter(|one| one.activity.sport == Sport::Running);
    runs.filter_map(|one| one.activity.distance).sum()
}

fn training_time<'a>(activities: impl Iterator<Item = &'a StoredActivity>) -> TimeSpan {
    activities.filter_map(|one| one.activity.training_time()).sum()
}

/// Totals of a period as numbers that can be subtracted.
struct PeriodSums {
    period: Period,
    complete_days: u32,
    values: BTreeMap<&'static str, f64>,
    missing: BTreeMap<&'static str, String>,
}

impl PeriodSums {
    fn new(period: Period, days: &[DayMetrics], stored: &[StoredActivity], frontier: DataFrontier) -> Self {
        let complete = period
            .from
            .through(period.through)
            .filter(|day| frontier.day_coverage(*day) == DayCoverage::Complete);
        let mut totals = Self {
            period,
            complete_days: u32::try_from(complete.count()).unwrap_or(u32::MAX),
            values: BTreeMap::new(),
            missing: BTreeMap::new(),
        };
        let runs = stored.iter().filter(|one| one.activity.sport == Sport::Running).count();
        totals.values.insert("runs", runs as f64);
        totals.values.insert("activities", stored.len() as f64);
        totals.values.insert("run_distance", run_distance(stored.iter()).meters());
        totals.values.insert("training_time", training_time(stored.iter()).seconds());
        let load: Option<f64> = stored.iter().map(|one| one.load).sum();
        totals.put("load", load, "some activities have no load");
        for (measure, metric) in [
            ("mean_recovery", SeriesMetric::Recovery),
            ("mean_hrv", SeriesMetric::Hrv),
            ("mean_resting_heart_rate", SeriesMetric::RestingHeartRate),
            ("mean_sleep", SeriesMetric::SleepMinutes),
            ("mean_stress", SeriesMetric::Stress),
        ] {
            let values: Vec<f64> = days.iter().filter_map(|day| series_value(metric, day)).collect();
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            totals.put(measure, (!values.is_empty()).then_some(mean), "no data in this period");
        }
        let last = days.iter().rev().find_map(|day| series_value(SeriesMetric::Fitness, day));
        totals.put("fitness_at_end", last, "not synced yet");
        totals
    }

    fn put(&mut self, measure: &'static str, value: Option<f64>, otherwise: &str) {
        match value {
            Some(value) => drop(self.values.insert(measure, value)),
            None => drop(self.missing.insert(measure, otherwise.to_owned())),
        }
    }

    fn into_response(self, units: UnitSystem) -> PeriodTotals {
        let shown = |(measure, value): (&'static str, f64)| {
            (measure.to_owned(), format_measure(measure, value, units, false))
        };
        PeriodTotals {
            from: self.period.from,
            through: self.period.through,
            complete_days: self.complete_days,
            totals: self.values.into_iter().map(shown).collect(),
            missing: self.missing.into_iter().map(|(measure, why)| (measure.to_owned(), why)).collect(),
        }
    }
}

/// Formats a total or a change. Only a change has a plus sign.
fn format_measure(measure: &str, value: f64, units: UnitSystem, signed: bool) -> String {
    let time = |seconds: f64| TimeSpan::from_seconds(seconds).unwrap_or_default().format_hours_minutes();
    let shown = |size: f64| match measure {
        "run_distance" => units.format_distance(Distance::from_meters(size).unwrap_or_default()).to_string(),
        "training_time" => time(size),
        "mean_sleep" => time(size * 60.0),
        "mean_hrv" => format!("{size:.0} ms"),
        "mean_resting_heart_rate" => format!("{size:.0} bpm"),
        _ => format!("{size:.0}"),
    };
    let size = shown(value.abs());
    // No sign if the value rounds to zero.
    let sign = match size == shown(0.0) {
        true => "",
        false if value < 0.0 => "−",
        false if signed => "+",
        false => "",
    };
    format!("{sign}{size}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn value_rounded_to_zero_has_no_sign() {
        let shown = |measure: &str, value: f64, signed: bool| {
            format_measure(measure, value, UnitSystem::Metric, signed)
        };
        for nothing in [-0.4, -0.0, 0.0, 0.4] {
            assert_eq!(
                (shown("load", nothing, true), shown("form", nothing, false)),
                ("0".into(), "0".into())
            );
            assert_eq!(shown("mean_hrv", nothing, true), "0 ms");
            assert_eq!(shown("training_time", nothing, true), shown("training_time", 0.0, false));
            assert_eq!(round_to_tenth(nothing / 10.0).to_string(), "0");
        }
        assert_eq!((shown("load", -3.0, true), shown("load", 3.0, true)), ("−3".into(), "+3".into()));
        assert_eq!((shown("form", -3.0, false), shown("form", 3.0, false)), ("−3".into(), "3".into()));
        assert_eq!(shown("run_distance", -40.0, true), "0.0 km");
        assert_eq!(round_to_tenth(-0.26).to_string(), "-0.3");
    }
}
