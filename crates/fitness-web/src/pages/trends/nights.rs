//! HRV, resting heart rate and sleep by night, with the athlete's normal range.

use super::Chart;
use super::data::{PeriodLength, Span};
use crate::http::error::PageError;
use crate::page::PageContext;
use fitness_core::domain::calendar::Day;
use fitness_core::metrics::recovery::baseline::ReadingWithBaseline;
use fitness_core::metrics::recovery::hrv::hrv;
use fitness_core::metrics::recovery::resting_hr::resting;
use fitness_core::metrics::recovery::sleep::sleep;
use fitness_core::string_enum;
use std::collections::BTreeMap;

string_enum! {
    /// A value measured at night.
    pub(super) enum Signal("signal") {
        Hrv = "hrv",
        Resting = "resting",
        Sleep = "sleep",
    }
}

impl Signal {
    pub(super) const fn chart(self) -> Chart {
        match self {
            Self::Hrv => Chart::Hrv,
            Self::Resting => Chart::Resting,
            Self::Sleep => Chart::Sleep,
        }
    }

    pub(super) const fn missing_reason(self) -> &'static str {
        match self {
            Self::Hrv => "No HRV data in this period. It needs a watch worn at night.",
            Self::Resting => "No resting heart rate in this period. It needs a watch worn all day.",
            Self::Sleep => "No sleep data in this period. It needs a watch worn at night.",
        }
    }
}

/// A value and its normal range.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct NightValue {
    pub(super) value: Option<f64>,
    pub(super) normal: Option<(f64, f64)>,
}

/// Values of nights, averaged by period.
#[derive(Debug)]
pub(super) struct Nights {
    pub(super) span: Span,
    pub(super) step: PeriodLength,
    /// Last day of each period, mean of its nights, and normal range on that day.
    pub(super) by_signal: BTreeMap<Signal, Vec<(Day, NightValue)>>,
}

/// Nights loaded before the first one to compute its normal range (60 plus 7, and some spare).
const BASELINE_DAYS: i64 = 70;

impl Nights {
    pub(super) async fn load(view: &PageContext, span: Span) -> Result<Self, PageError> {
        let begins = span.from.plus_days(-BASELINE_DAYS);
        let nights = view.store().list_night_metrics(view.user(), begins, span.through).await?;
        let nights: BTreeMap<Day, _> = nights.into_iter().map(|night| (night.day, night)).collect();
        let days: Vec<Day> = begins.through(span.through).collect();
        let step = span.small_step();
        let mut of = BTreeMap::new();
        for signal in Signal::ALL {
            let value = |day: &Day| {
                let night = nights.get(day)?;
                match signal {
                    Signal::Hrv => night.hrv_ms,
                    Signal::Resting => night.resting.map(f64::from),
                    Signal::Sleep => night.asleep.map(|span| span.seconds() / 3600.0),
                }
            };
            let values: Vec<Option<f64>> = days.iter().map(value).collect();
            let measured = (days.iter().zip(0..))
                .filter(|(day, _)| **day >= span.from)
                .map(|(day, at): (&Day, usize)| (*day, night_value(*signal, &values[..=at])));
            of.insert(*signal, average_by_period(*signal, step, span.through, measured));
        }
        Ok(Self { span, step, by_signal: of })
    }

    pub(super) fn for_signal(&self, signal: Signal) -> &[(Day, NightValue)] {
        self.by_signal.get(&signal).map_or(&[], Vec::as_slice)
    }
}

/// The value of the last night, with the same plausibility rules as the metrics.
fn night_value(signal: Signal, nights: &[Option<f64>]) -> NightValue {
    let usual = |reading: &ReadingWithBaseline| NightValue {
        value: reading.value.clone().ok(),
        normal: reading.baseline.as_ref().ok().map(|b| (b.median - b.spread, b.median + b.spread)),
    };
    match signal {
        Signal::Hrv => {
            let hrv = hrv(nights);
            NightValue {
                value: hrv.last_night.ok().map(f64::exp),
                normal: hrv.range.ok().map(|range| (range.low.exp(), range.high.exp())),
            }
        }
        Signal::Resting => usual(&resting(nights).reading),
        Signal::Sleep => usual(&sleep(nights, None).night),
    }
}

/// Means by period. Weeks are counted back from the last night, so that the last week is complete
/// and matches Today. HRV is averaged on the log scale, as in its baseline.
fn average_by_period(
    signal: Signal,
    step: PeriodLength,
    through: Day,
    nights: impl Iterator<Item = (Day, NightValue)>,
) -> Vec<(Day, NightValue)> {
    let period = |day: Day| match step {
        PeriodLength::Week => through.plus_days(-(day.days_until(through) / 7 * 7)),
        step => step.period_start(day),
    };
    let scale = |value: f64| if signal == Signal::Hrv { value.ln() } else { value };
    let unscale = |value: f64| if signal == Signal::Hrv { value.exp() } else { value };
    let mut points: Vec<(Day, NightValue, u32)> = Vec::new();
    for (day, night) in nights {
        let night = NightValue { value: night.value.map(scale), ..night };
        let count = u32::from(night.value.is_some());
        match points.last_mut() {
            Some((last, so_far, counted)) if period(*last) == period(day) => {
                let sum =
                    so_far.value.unwrap_or_default() * f64::from(*counted) + night.value.unwrap_or_default();
                *counted += count;
                let value = (*counted > 0).then(|| sum / f64::from(*counted));
                (*last, *so_far) = (day, NightValue { value, normal: night.normal.or(so_far.normal) });
            }
            _ => points.push((day, night, count)),
        }
    }
    let plain = |night: NightValue| NightValue { value: night.value.map(unscale), ..night };
    points.into_iter().map(|(day, night, _)| (day, plain(night))).collect()
}
