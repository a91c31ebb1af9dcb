//! Facts about sleep, HRV, resting heart rate and recovery.
//!
//! A reading of last night is never replaced by an older night: without data it is missing.
//! Baselines change slowly and come from the newest day with data, which the fact names in `as_of`.

use super::{FactInput, FactValueDraft, FactsBuilder};
use crate::domain::units::TimeSpan;
use crate::facts::definitions::FactName;
use crate::facts::provenance::SourceRow;
use crate::facts::value::{FactValue, FactWord};
use crate::metrics::day::DayMetrics;
use crate::metrics::recovery::baseline::Baseline;
use crate::metrics::recovery::baseline::WEEK;
use crate::metrics::recovery::hrv::{HrvRange, RANGE_NIGHTS};
use crate::metrics::recovery::sleep::need_hours;
use crate::metrics::recovery::{Contribution, Recovery, RecoveryPart};
use crate::metrics::{CountUnit, DataProgress, MetricResult, MissingReason, Quality};

/// Days of the normal range plus the week that is compared with it.
const RANGE_AND_WEEK: i64 = (RANGE_NIGHTS + WEEK) as i64;
/// Days after which a body weight is stale.
const WEIGHT_DAYS: i64 = 7;

pub(crate) fn add_facts(view: &FactInput<'_>, book: &mut FactsBuilder) {
    add_hrv(view, book);
    add_resting_heart_rate(view, book);
    add_sleep(view, book);
    add_yesterday(view, book);
    add_illness(view, book);
    add_recovery(view, book);
}

/// A reading of last night or this morning.
fn morning_fact(
    view: &FactInput<'_>,
    value: impl FnOnce(&DayMetrics) -> MetricResult<FactValue>,
) -> MetricResult<FactValueDraft> {
    let morning = view.morning()?;
    Ok(FactValueDraft::new(value(morning)?, morning.day, vec![SourceRow::Day(morning.day)]))
}

/// A value of the newest day that covers the days from `first` to `last` days before it.
fn recent_fact(
    view: &FactInput<'_>,
    (first, last): (i64, i64),
    value: impl FnOnce(&DayMetrics) -> MetricResult<(FactValue, Quality, Option<DataProgress>)>,
) -> MetricResult<FactValueDraft> {
    let newest = view.newest()?;
    let (value, quality, learning) = value(newest)?;
    let sources = vec![view.source_rows(newest.day.plus_days(-first), newest.day.plus_days(-last))];
    let fact = FactValueDraft::new(value, newest.day, sources).with_quality(quality).with_learning(learning);
    Ok(fact.with_quality(FactInput::staleness(newest.day, view.today())))
}

const WEEK_DAYS_AGO: (i64, i64) = (WEEK as i64 - 1, 0);
const RANGE_DAYS_AGO: (i64, i64) = (RANGE_AND_WEEK - 1, WEEK as i64);

fn add_hrv(view: &FactInput<'_>, book: &mut FactsBuilder) {
    let number = FactValue::Number;
    let last_night = morning_fact(view, |day| Ok(number(day.hrv.last_night.clone()?.exp())));
    book.insert(FactName::HrvLastNight, last_night);
    let week =
        recent_fact(view, WEEK_DAYS_AGO, |day| Ok((number(day.hrv.week.clone()?.ms), Quality::Ok, None)));
    book.insert(FactName::HrvWeek, week);
    let end = |end: fn(&HrvRange) -> f64| {
        recent_fact(view, RANGE_DAYS_AGO, |day| {
            let range = day.hrv.range.clone()?;
            Ok((number(end(&range).exp()), range.quality, range.learning()))
        })
    };
    book.insert(FactName::HrvNormalLow, end(|range| range.low));
    book.insert(FactName::HrvNormalHigh, end(|range| range.high));
    let state = recent_fact(view, (RANGE_AND_WEEK - 1, 0), |day| {
        let state = FactValue::Word(FactWord::Hrv(day.hrv.state.clone()?));
        let range = day.hrv.range.clone()?;
        Ok((state, range.quality, range.learning()))
    });
    book.insert(FactName::HrvState, state);
}

fn add_resting_heart_rate(view: &FactInput<'_>, book: &mut FactsBuilder) {
    let now = |day: &DayMetrics| day.resting.reading.value.clone();
    let usual = |day: &DayMetrics| day.resting.reading.baseline.clone();
    book.insert(FactName::RestingHeartRate, morning_fact(view, |day| Ok(FactValue::Number(now(day)?))));
    book.insert(
        FactName::RestingHeartRateUsual,
        recent_fact(view, RANGE_DAYS_AGO, |day| {
            let usual = usual(day)?;
            Ok((FactValue::Number(usual.median), usual.quality, usual.learning(CountUnit::Nights)))
        }),
    );
    let rows =
        |morning: &DayMetrics| view.source_rows(morning.day.plus_days(1 - RANGE_AND_WEEK), morning.day);
    book.insert(FactName::RestingHeartRateFromUsual, difference_fact(view, now, usual, 1.0, rows));
}

fn add_sleep(view: &FactInput<'_>, book: &mut FactsBuilder) {
    let night = |day: &DayMetrics| day.sleep.night.value.clone();
    let usual = |day: &DayMetrics| day.sleep.night.baseline.clone();
    book.insert(FactName::SleepLastNight, morning_fact(view, |day| hours_value(night(day)?)));
    book.insert(
        FactName::SleepUsual,
        recent_fact(view, (28, 1), |day| {
            let usual = usual(day)?;
            Ok((hours_value(usual.median)?, usual.quality, usual.learning(CountUnit::Nights)))
        }),
    );
    let rows = |morning: &DayMetrics| view.source_rows(morning.day.plus_days(-28), morning.day);
    book.insert(FactName::SleepFromUsual, difference_fact(view, night, usual, 60.0, rows));
    let need = need_hours(view.snapshot.profile.sleep_need).and_then(hours_value);
    book.insert(
        FactName::SleepNeed,
        need.map(|need| FactValueDraft::new(need, view.today(), vec![SourceRow::Profile])),
    );
    let debt = recent_fact(view, (13, 0), |day| {
        let debt = day.sleep.debt.clone()?;
        let doubt = if debt.missing == 0 { Quality::Ok } else { Quality::Provisional };
        Ok((hours_value(debt.hours)?, doubt, None))
    });
    let with_need = |mut fact: FactValueDraft| {
        fact.sources.push(SourceRow::Profile);
        fact
    };
    book.insert(FactName::SleepDebt14Days, debt.map(with_need));
    let breaths = morning_fact(view, |day| Ok(FactValue::Number(day.respiration.value.clone()?)));
    book.insert(FactName::RespirationLastNight, breaths);
}

/// This morning's reading minus the baseline, both multiplied by `steps` and rounded as they are
/// shown first, so that a reader who subtracts gets the same result.
fn difference_fact(
    view: &FactInput<'_>,
    now: impl Fn(&DayMetrics) -> MetricResult<f64>,
    usual: impl Fn(&DayMetrics) -> MetricResult<Baseline>,
    steps: f64,
    rows: impl Fn(&DayMetrics) -> SourceRow,
) -> MetricResult<FactValueDraft> {
    let morning = view.morning()?;
    let (now, usual) = (now(morning)?, usual(morning)?);
    let difference = (now * steps).round() - (usual.median * steps).round();
    let fact =
        FactValueDraft::from_number(difference, morning.day, vec![rows(morning)]).with_quality(usual.quality);
    Ok(fact.with_learning(usual.learning(CountUnit::Nights)))
}

/// Measurements of a whole day are of yesterday, as today is not over.
fn add_yesterday(view: &FactInput<'_>, book: &mut FactsBuilder) {
    let yesterday = |value: fn(&DayMetrics) -> MetricResult<f64>| {
        let day = view.day(view.yesterday())?;
        if !view.is_complete(day.day) {
            return Err(MissingReason::NotYet);
        }
        Ok(FactValueDraft::from_number(value(day)?, day.day, vec![SourceRow::Day(day.day)]))
    };
    book.insert(FactName::StressYesterday, yesterday(|day| day.stress.value.clone()));
    book.insert(FactName::BodyBatteryHigh, yesterday(|day| day.body_battery.value.clone()));

    let weighed = |day: &&DayMetrics| Some((day.day, day.weight.value.clone().ok()?));
    let latest = view.days.values().rev().find_map(weighed);
    let weight = latest.map(|(day, kilograms)| {
        let age = FactInput::staleness(day, view.today().plus_days(-WEIGHT_DAYS));
        FactValueDraft::from_number(kilograms, day, vec![SourceRow::Day(day)]).with_quality(age)
    });
    let why = || {
        view.newest()
            .map_or_else(|why| why, |day| day.weight.value.clone().err().unwrap_or(MissingReason::NotYet))
    };
    book.insert(FactName::Weight, weight.ok_or_else(why));
}

fn add_illness(view: &FactInput<'_>, book: &mut FactsBuilder) {
    let signs = view.morning().and_then(|morning| {
        let signs = FactValue::Word(FactWord::Illness(morning.illness.clone()?.signs()));
        let rows = vec![view.source_rows(morning.day.plus_days(-RANGE_AND_WEEK), morning.day)];
        Ok(FactValueDraft::new(signs, morning.day, rows))
    });
    book.insert(FactName::SignsOfIllness, signs);
}

fn add_recovery(view: &FactInput<'_>, book: &mut FactsBuilder) {
    let found = view.morning().and_then(|morning| morning.recovery.clone());
    let fact = |value: &dyn Fn(&Recovery) -> MetricResult<FactValue>, parts: &[RecoveryPart]| {
        let recovery = found.clone()?;
        let taken = recovery.parts.iter().map(|found| found.part).filter(|part| parts.contains(part));
        let mut rows: Vec<SourceRow> = taken.flat_map(|part| part_rows(view, part)).collect();
        rows.sort_unstable();
        rows.dedup();
        let fact = FactValueDraft::new(value(&recovery)?, view.today(), rows).with_quality(recovery.quality);
        let learned = recovery.parts.iter().filter(|found| parts.contains(&found.part));
        Ok(learned.fold(fact, |fact, found| fact.with_learning(part_learning(view, found.part))))
    };
    let score = |recovery: &Recovery| Ok(FactValue::Number(f64::from(recovery.score)));
    book.insert(FactName::Recovery, fact(&score, RecoveryPart::ALL));
    let band = |recovery: &Recovery| Ok(FactValue::Word(FactWord::Recovery(recovery.band)));
    book.insert(FactName::RecoveryBand, fact(&band, RecoveryPart::ALL));
    for part in RecoveryPart::ALL.iter().copied() {
        let added = |recovery: &Recovery| Ok(FactValue::Number(contribution(recovery, part)?.contribution));
        book.insert(part_fact_name(part), fact(&added, &[part]));
    }
}

fn contribution(recovery: &Recovery, part: RecoveryPart) -> MetricResult<&Contribution> {
    let left_out = || recovery.left_out.iter().find(|left| left.part == part).map(|left| left.why.clone());
    let found = recovery.parts.iter().find(|found| found.part == part);
    found.ok_or_else(|| left_out().unwrap_or(MissingReason::NotYet))
}

const fn part_fact_name(part: RecoveryPart) -> FactName {
    match part {
        RecoveryPart::Hrv => FactName::RecoveryFromHrv,
        RecoveryPart::RestingHeartRate => FactName::RecoveryFromRestingHeartRate,
        RecoveryPart::Sleep => FactName::RecoveryFromSleep,
        RecoveryPart::Feel => FactName::RecoveryFromFeel,
        RecoveryPart::Form => FactName::RecoveryFromForm,
    }
}

/// Learning progress of the baseline that a part of recovery is compared with.
fn part_learning(view: &FactInput<'_>, part: RecoveryPart) -> Option<DataProgress> {
    let morning = view.morning().ok()?;
    match part {
        RecoveryPart::Hrv => morning.hrv.range.as_ref().ok()?.learning(),
        RecoveryPart::RestingHeartRate => {
            morning.resting.reading.baseline.as_ref().ok()?.learning(CountUnit::Nights)
        }
        RecoveryPart::Form => view.evening().ok()?.state.fitness.learning(),
        RecoveryPart::Sleep | RecoveryPart::Feel => None,
    }
}

/// Source rows of a part of this morning's recovery.
fn part_rows(view: &FactInput<'_>, part: RecoveryPart) -> Vec<SourceRow> {
    let today = view.today();
    match part {
        RecoveryPart::Hrv | RecoveryPart::RestingHeartRate => {
            vec![view.source_rows(today.plus_days(1 - RANGE_AND_WEEK), today)]
        }
        RecoveryPart::Sleep => vec![SourceRow::Day(today), SourceRow::Profile],
        RecoveryPart::Feel => vec![SourceRow::Day(today)],
        RecoveryPart::Form => view
            .evening()
            .map(|evening| vec![SourceRow::Days { from: evening.first_day(), through: evening.day }])
            .unwrap_or_default(),
    }
}

fn hours_value(hours: f64) -> MetricResult<FactValue> {
    let span = TimeSpan::from_seconds(hours * 3600.0);
    span.map(FactValue::Time)
        .ok_or_else(|| MissingReason::OutOfRange { what: "the sleep time is not valid".to_owned() })
}
