//! Facts about the night and the morning.
//!
//! What last night told is told of last night only: while it has not arrived, the night before does not stand in for it.
//! What is usual moves slowly and comes from the newest day there is, which the fact names.

use super::{Book, Told, View};
use crate::domain::units::TimeSpan;
use crate::facts::provenance::SourceRow;
use crate::facts::table::FactName;
use crate::facts::value::{FactValue, FactWord};
use crate::metrics::day::DayMetrics;
use crate::metrics::recovery::baseline::Baseline;
use crate::metrics::recovery::baseline::WEEK;
use crate::metrics::recovery::hrv::{HrvRange, RANGE_NIGHTS};
use crate::metrics::recovery::sleep::need_hours;
use crate::metrics::recovery::{Contribution, Part, Recovery};
use crate::metrics::{Absent, Counted, Found, Learning, Quality};

/// The days behind a normal range and the week that is compared with it.
const RANGE_AND_WEEK: i64 = (RANGE_NIGHTS + WEEK) as i64;
/// How long a body weight is taken for today's, days.
const WEIGHT_DAYS: i64 = 7;

pub(crate) fn write(view: &View<'_>, book: &mut Book) {
    hrv(view, book);
    resting(view, book);
    sleep(view, book);
    whole_days(view, book);
    illness(view, book);
    recovery(view, book);
}

/// A reading of last night or this morning.
fn measured(view: &View<'_>, value: impl FnOnce(&DayMetrics) -> Found<FactValue>) -> Found<Told> {
    let morning = view.morning()?;
    Ok(Told::new(value(morning)?, morning.day, vec![SourceRow::Day(morning.day)]))
}

/// What the newest day says about the days from so many to so many before it.
fn lately(
    view: &View<'_>,
    (first, last): (i64, i64),
    value: impl FnOnce(&DayMetrics) -> Found<(FactValue, Quality, Option<Learning>)>,
) -> Found<Told> {
    let newest = view.newest()?;
    let (value, quality, learning) = value(newest)?;
    let sources = vec![view.rows(newest.day.plus(-first), newest.day.plus(-last))];
    let told = Told::new(value, newest.day, sources).with(quality).learning(learning);
    Ok(told.with(View::age(newest.day, view.today())))
}

const WEEK_SPAN: (i64, i64) = (WEEK as i64 - 1, 0);
const RANGE_SPAN: (i64, i64) = (RANGE_AND_WEEK - 1, WEEK as i64);

fn hrv(view: &View<'_>, book: &mut Book) {
    let number = FactValue::Number;
    let last_night = measured(view, |day| Ok(number(day.hrv.last_night.clone()?.exp())));
    book.put(FactName::HrvLastNight, last_night);
    let week = lately(view, WEEK_SPAN, |day| Ok((number(day.hrv.week.clone()?.ms), Quality::Ok, None)));
    book.put(FactName::HrvWeek, week);
    let end = |end: fn(&HrvRange) -> f64| {
        lately(view, RANGE_SPAN, |day| {
            let range = day.hrv.range.clone()?;
            Ok((number(end(&range).exp()), range.quality, range.learning()))
        })
    };
    book.put(FactName::HrvNormalLow, end(|range| range.low));
    book.put(FactName::HrvNormalHigh, end(|range| range.high));
    let state = lately(view, (RANGE_AND_WEEK - 1, 0), |day| {
        let state = FactValue::Word(FactWord::Hrv(day.hrv.state.clone()?));
        let range = day.hrv.range.clone()?;
        Ok((state, range.quality, range.learning()))
    });
    book.put(FactName::HrvState, state);
}

fn resting(view: &View<'_>, book: &mut Book) {
    let now = |day: &DayMetrics| day.resting.reading.value.clone();
    let usual = |day: &DayMetrics| day.resting.reading.baseline.clone();
    book.put(FactName::RestingHeartRate, measured(view, |day| Ok(FactValue::Number(now(day)?))));
    book.put(
        FactName::RestingHeartRateUsual,
        lately(view, RANGE_SPAN, |day| {
            let usual = usual(day)?;
            Ok((FactValue::Number(usual.median), usual.quality, usual.learning(Counted::Nights)))
        }),
    );
    let rows = |morning: &DayMetrics| view.rows(morning.day.plus(1 - RANGE_AND_WEEK), morning.day);
    let apart = difference(view, now, usual, 1.0, rows);
    book.put(FactName::RestingHeartRateFromUsual, apart);
}

fn sleep(view: &View<'_>, book: &mut Book) {
    let night = |day: &DayMetrics| day.sleep.night.value.clone();
    let usual = |day: &DayMetrics| day.sleep.night.baseline.clone();
    book.put(FactName::SleepLastNight, measured(view, |day| hours(night(day)?)));
    book.put(
        FactName::SleepUsual,
        lately(view, (28, 1), |day| {
            let usual = usual(day)?;
            Ok((hours(usual.median)?, usual.quality, usual.learning(Counted::Nights)))
        }),
    );
    let rows = |morning: &DayMetrics| view.rows(morning.day.plus(-28), morning.day);
    book.put(FactName::SleepFromUsual, difference(view, night, usual, 60.0, rows));
    let need = need_hours(view.snapshot.profile.sleep_need).and_then(hours);
    book.put(FactName::SleepNeed, need.map(|need| Told::new(need, view.today(), vec![SourceRow::Profile])));
    let debt = lately(view, (13, 0), |day| {
        let debt = day.sleep.debt.clone()?;
        let doubt = if debt.missing == 0 { Quality::Ok } else { Quality::Provisional };
        Ok((hours(debt.hours)?, doubt, None))
    });
    let with_need = |mut told: Told| {
        told.sources.push(SourceRow::Profile);
        told
    };
    book.put(FactName::SleepDebt14Days, debt.map(with_need));
    let breaths = measured(view, |day| Ok(FactValue::Number(day.respiration.value.clone()?)));
    book.put(FactName::RespirationLastNight, breaths);
}

/// This morning's reading less the usual, so many of its steps to one of theirs. Both are rounded as they are shown
/// before they are compared, so that a reader who subtracts comes to the same.
fn difference(
    view: &View<'_>,
    now: impl Fn(&DayMetrics) -> Found<f64>,
    usual: impl Fn(&DayMetrics) -> Found<Baseline>,
    steps: f64,
    rows: impl Fn(&DayMetrics) -> SourceRow,
) -> Found<Told> {
    let morning = view.morning()?;
    let (now, usual) = (now(morning)?, usual(morning)?);
    let apart = (now * steps).round() - (usual.median * steps).round();
    let told = Told::number(apart, morning.day, vec![rows(morning)]).with(usual.quality);
    Ok(told.learning(usual.learning(Counted::Nights)))
}

/// What a whole day measured: yesterday's, as today's is not over.
fn whole_days(view: &View<'_>, book: &mut Book) {
    let yesterday = |value: fn(&DayMetrics) -> Found<f64>| {
        let day = view.day(view.yesterday())?;
        if !view.is_complete(day.day) {
            return Err(Absent::NotYet);
        }
        Ok(Told::number(value(day)?, day.day, vec![SourceRow::Day(day.day)]))
    };
    book.put(FactName::StressYesterday, yesterday(|day| day.stress.value.clone()));
    book.put(FactName::BodyBatteryHigh, yesterday(|day| day.body_battery.value.clone()));

    let weighed = |day: &&DayMetrics| Some((day.day, day.weight.value.clone().ok()?));
    let latest = view.days.values().rev().find_map(weighed);
    let weight = latest.map(|(day, kilograms)| {
        let age = View::age(day, view.today().plus(-WEIGHT_DAYS));
        Told::number(kilograms, day, vec![SourceRow::Day(day)]).with(age)
    });
    let why = || {
        view.newest().map_or_else(|why| why, |day| day.weight.value.clone().err().unwrap_or(Absent::NotYet))
    };
    book.put(FactName::Weight, weight.ok_or_else(why));
}

fn illness(view: &View<'_>, book: &mut Book) {
    let signs = view.morning().and_then(|morning| {
        let signs = FactValue::Word(FactWord::Illness(morning.illness.clone()?.signs()));
        let rows = vec![view.rows(morning.day.plus(-RANGE_AND_WEEK), morning.day)];
        Ok(Told::new(signs, morning.day, rows))
    });
    book.put(FactName::SignsOfIllness, signs);
}

fn recovery(view: &View<'_>, book: &mut Book) {
    let found = view.morning().and_then(|morning| morning.recovery.clone());
    let told = |value: &dyn Fn(&Recovery) -> Found<FactValue>, parts: &[Part]| {
        let recovery = found.clone()?;
        let taken = recovery.parts.iter().map(|found| found.part).filter(|part| parts.contains(part));
        let mut rows: Vec<SourceRow> = taken.flat_map(|part| part_rows(view, part)).collect();
        rows.sort_unstable();
        rows.dedup();
        let told = Told::new(value(&recovery)?, view.today(), rows).with(recovery.quality);
        let learned = recovery.parts.iter().filter(|found| parts.contains(&found.part));
        Ok(learned.fold(told, |told, found| told.learning(part_learning(view, found.part))))
    };
    let score = |recovery: &Recovery| Ok(FactValue::Number(f64::from(recovery.score)));
    book.put(FactName::Recovery, told(&score, Part::ALL));
    let band = |recovery: &Recovery| Ok(FactValue::Word(FactWord::Recovery(recovery.band)));
    book.put(FactName::RecoveryBand, told(&band, Part::ALL));
    for part in Part::ALL.iter().copied() {
        let added = |recovery: &Recovery| Ok(FactValue::Number(part_of(recovery, part)?.contribution));
        book.put(part_name(part), told(&added, &[part]));
    }
}

fn part_of(recovery: &Recovery, part: Part) -> Found<&Contribution> {
    let left_out = || recovery.left_out.iter().find(|left| left.part == part).map(|left| left.why.clone());
    let found = recovery.parts.iter().find(|found| found.part == part);
    found.ok_or_else(|| left_out().unwrap_or(Absent::NotYet))
}

const fn part_name(part: Part) -> FactName {
    match part {
        Part::Hrv => FactName::RecoveryFromHrv,
        Part::RestingHeartRate => FactName::RecoveryFromRestingHeartRate,
        Part::Sleep => FactName::RecoveryFromSleep,
        Part::Feel => FactName::RecoveryFromFeel,
        Part::Form => FactName::RecoveryFromForm,
    }
}

/// How much is behind what a part of this morning's recovery is compared with.
fn part_learning(view: &View<'_>, part: Part) -> Option<Learning> {
    let morning = view.morning().ok()?;
    match part {
        Part::Hrv => morning.hrv.range.as_ref().ok()?.learning(),
        Part::RestingHeartRate => morning.resting.reading.baseline.as_ref().ok()?.learning(Counted::Nights),
        Part::Form => view.evening().ok()?.state.fitness.learning(),
        Part::Sleep | Part::Feel => None,
    }
}

/// The rows a part of this morning's recovery was made from.
fn part_rows(view: &View<'_>, part: Part) -> Vec<SourceRow> {
    let today = view.today();
    match part {
        Part::Hrv | Part::RestingHeartRate => vec![view.rows(today.plus(1 - RANGE_AND_WEEK), today)],
        Part::Sleep => vec![SourceRow::Day(today), SourceRow::Profile],
        Part::Feel => vec![SourceRow::Day(today)],
        Part::Form => view
            .evening()
            .map(|evening| vec![SourceRow::Days { from: evening.first(), through: evening.day }])
            .unwrap_or_default(),
    }
}

fn hours(hours: f64) -> Found<FactValue> {
    let span = TimeSpan::from_seconds(hours * 3600.0);
    span.map(FactValue::Time).ok_or_else(|| Absent::OutOfRange { what: "a length of sleep".to_owned() })
}
