//! The nights behind the small charts, each against what is normal for the athlete.

use super::Chart;
use super::data::{PeriodLength, Span};
use crate::http::error::PageError;
use crate::page::PageContext;
use fitness_core::domain::calendar::Day;
use fitness_core::metrics::recovery::baseline::Reading;
use fitness_core::metrics::recovery::hrv::hrv;
use fitness_core::metrics::recovery::resting_hr::resting;
use fitness_core::metrics::recovery::sleep::sleep;
use fitness_core::string_enum;
use std::collections::BTreeMap;

string_enum! {
    /// What is measured of a night.
    pub(super) enum Signal("signal") {
        /// Heart rate variability.
        Hrv = "hrv",
        /// Resting heart rate.
        Resting = "resting",
        /// Sleep.
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

    /// Why there is nothing to draw.
    pub(super) const fn missing_reason(self) -> &'static str {
        match self {
            Self::Hrv => {
                "No heart rate variability was measured in this time. It comes from a watch worn at night."
            }
            Self::Resting => {
                "No resting heart rate was measured in this time. It comes from a watch worn all day."
            }
            Self::Sleep => "No sleep was measured in this time. It comes from a watch worn at night.",
        }
    }
}

/// A value and what is normal for it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct NightValue {
    pub(super) value: Option<f64>,
    pub(super) normal: Option<(f64, f64)>,
}

/// The nights, one entry for each stretch.
#[derive(Debug)]
pub(super) struct Nights {
    pub(super) span: Span,
    pub(super) step: PeriodLength,
    /// The last day of each stretch, with the mean of its nights and the normal range on that day.
    pub(super) by_signal: BTreeMap<Signal, Vec<(Day, NightValue)>>,
}

/// Nights before the first one that its normal range is made of, and some to spare.
const BASELINE_DAYS: i64 = 70;

impl Nights {
    pub(super) async fn load(view: &PageContext, span: Span) -> Result<Self, PageError> {
        let begins = span.from.plus_days(-BASELINE_DAYS);
        let told = view.store().list_night_metrics(view.user(), begins, span.through).await?;
        let told: BTreeMap<Day, _> = told.into_iter().map(|night| (night.day, night)).collect();
        let days: Vec<Day> = begins.through(span.through).collect();
        let step = span.small_step();
        let mut of = BTreeMap::new();
        for signal in Signal::ALL {
            let value = |day: &Day| {
                let night = told.get(day)?;
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

/// A night by the same rules as everywhere: what cannot be is none.
fn night_value(signal: Signal, nights: &[Option<f64>]) -> NightValue {
    let usual = |reading: &Reading| NightValue {
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

/// The means of stretches. Weeks are counted back from the last night, so that the last one is as whole as the others
/// and says what Today says of it; variability is averaged on the scale it is judged on, as there.
fn average_by_period(
    signal: Signal,
    step: PeriodLength,
    through: Day,
    nights: impl Iterator<Item = (Day, NightValue)>,
) -> Vec<(Day, NightValue)> {
    let stretch = |day: Day| match step {
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
            Some((last, so_far, counted)) if stretch(*last) == stretch(day) => {
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
