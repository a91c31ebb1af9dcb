//! Facts about what was done.

use super::{FactValueDraft, FactsBuilder, View, Window, require_days};
use crate::domain::calendar::Day;
use crate::domain::sport::Sport;
use crate::domain::units::{Distance, Speed, TimeSpan};
use crate::facts::input::PastActivity;
use crate::facts::provenance::SourceRow;
use crate::facts::table::FactName;
use crate::facts::value::{FactValue, FactWord};
use crate::metrics::load::distribution::Spike;
use crate::metrics::load::heart_seconds;
use crate::metrics::{MetricResult, MissingReason, Quality, RequiredInput};

const MONTH_DAYS: i64 = 30;

pub(crate) fn add_facts(view: &View<'_>, book: &mut FactsBuilder) {
    let week = activities_in_period(view, 1, 7);
    let before = activities_in_period(view, 8, 7);
    book.insert(FactName::Distance7Days, week.clone().and_then(|week| week.total_distance()));
    book.insert(FactName::Distance7DaysBefore, before.and_then(|before| before.total_distance()));
    book.insert(FactName::Runs7Days, week.clone().map(|week| week.run_count()));
    book.insert(FactName::TrainingTime7Days, week.and_then(|week| week.total_time()));
    book.insert(
        FactName::LongestRun30Days,
        activities_in_period(view, 1, MONTH_DAYS).and_then(|month| month.longest_run()),
    );
    add_last_run(view, book);
}

/// The sessions of a stretch of complete days.
#[derive(Clone)]
struct ActivityPeriod<'a> {
    rows: SourceRow,
    through: Day,
    activities: Vec<&'a PastActivity<'a>>,
}

/// Every session of a stretch of complete days, or why they are not all known.
fn activities_in_period<'a>(view: &View<'a>, ago: i64, length: i64) -> MetricResult<ActivityPeriod<'a>> {
    let Window { from, through, .. } = view.window(ago, length)?;
    require_days(view.snapshot.activities_from.days_until(through) + 1, length)?;
    let within = |session: &&&PastActivity<'_>| (from..=through).contains(&session.activity.day());
    let sessions = view.activities.iter().filter(within).copied().collect();
    Ok(ActivityPeriod { rows: SourceRow::Days { from, through }, through, activities: sessions })
}

impl<'a> ActivityPeriod<'a> {
    fn run_activities(&self) -> impl Iterator<Item = &'a PastActivity<'a>> {
        self.activities.iter().copied().filter(|session| is_run(session))
    }

    fn fact(&self, value: FactValue, from: impl Iterator<Item = &'a PastActivity<'a>>) -> FactValueDraft {
        let activities = from.map(|session| SourceRow::Activity(session.id));
        FactValueDraft::new(value, self.through, std::iter::once(self.rows).chain(activities).collect())
    }

    fn run_count(&self) -> FactValueDraft {
        self.fact(FactValue::Number(self.run_activities().count() as f64), self.run_activities())
    }

    fn total_distance(&self) -> MetricResult<FactValueDraft> {
        let (sum, doubt) = total(self.run_activities().map(way), RequiredInput::Distance)?;
        Ok(self.fact(FactValue::Distance(sum), self.run_activities()).with_quality(doubt))
    }

    fn total_time(&self) -> MetricResult<FactValueDraft> {
        let (sum, doubt) =
            total(self.activities.iter().map(|session| time(session)), RequiredInput::Duration)?;
        Ok(self.fact(FactValue::Time(sum), self.activities.iter().copied()).with_quality(doubt))
    }

    fn longest_run(&self) -> MetricResult<FactValueDraft> {
        let longest = self.run_activities().filter_map(|run| Some((way(run)?, run)));
        // Of two as long, the later.
        let longest = longest.max_by_key(|(way, run)| (*way, run.activity.started_at, run.id));
        let none =
            if self.run_activities().next().is_some() { RequiredInput::Distance } else { RequiredInput::Run };
        let (distance, run) = longest.ok_or(MissingReason::missing(none))?;
        let doubt = completeness_quality(self.run_activities().all(|run| way(run).is_some()));
        Ok(self.fact(FactValue::Distance(distance), std::iter::once(run)).with_quality(doubt))
    }
}

/// A sum that may be more where a part of it is unknown. Nothing done is nothing; nothing known of what was done is not.
fn total<T: std::iter::Sum>(
    parts: impl Iterator<Item = Option<T>>,
    need: RequiredInput,
) -> MetricResult<(T, Quality)> {
    let parts: Vec<Option<T>> = parts.collect();
    let (all, known) = (parts.len(), parts.iter().flatten().count());
    if all > 0 && known == 0 {
        return Err(MissingReason::missing(need));
    }
    Ok((parts.into_iter().flatten().sum(), completeness_quality(known == all)))
}

fn completeness_quality(whole: bool) -> Quality {
    if whole { Quality::Ok } else { Quality::Provisional }
}

fn add_last_run(view: &View<'_>, book: &mut FactsBuilder) {
    let run = view.activities.iter().copied().rfind(|session| is_run(session));
    let run = run.ok_or(if view.days.is_empty() {
        MissingReason::NotYet
    } else {
        MissingReason::missing(RequiredInput::Run)
    });
    // While a day before today is not complete, a later run may still arrive.
    let arrived = completeness_quality(view.is_complete(view.yesterday()));
    let mut put = |name: FactName, value: &dyn Fn(&PastActivity<'_>) -> MetricResult<FactValueDraft>| {
        book.insert(name, run.clone().and_then(value).map(|told| told.with_quality(arrived)));
    };
    put(FactName::LastRunDay, &|run| {
        Ok(FactValueDraft { as_of: view.today(), ..told(run, FactValue::Day(run.activity.day())) })
    });
    put(FactName::LastRunDistance, &|run| {
        way(run)
            .map(|way| told(run, FactValue::Distance(way)))
            .ok_or(MissingReason::missing(RequiredInput::Distance))
    });
    put(FactName::LastRunTime, &|run| {
        time(run)
            .map(|time| told(run, FactValue::Time(time)))
            .ok_or(MissingReason::missing(RequiredInput::Duration))
    });
    put(FactName::LastRunPace, &|run| {
        let way = way(run).ok_or(MissingReason::missing(RequiredInput::Distance))?;
        let time = time(run).ok_or(MissingReason::missing(RequiredInput::Duration))?;
        let pace = Speed::over(way, time)
            .and_then(Speed::pace)
            .ok_or(MissingReason::missing(RequiredInput::Distance))?;
        Ok(told(run, FactValue::Pace(pace)))
    });
    put(FactName::LastRunHeartRate, &|run| {
        let (beats, quality) = heart_seconds(run.activity, run.measures)?;
        let mean = beats.mean().ok_or(MissingReason::missing(RequiredInput::HeartRate))?;
        let told = told(run, FactValue::Number(mean)).with_quality(quality);
        // Without a recording there is only the source's word.
        Ok(if run.measures.heart.is_ok() { told } else { told.with_method("mean as told by the device") })
    });
    put(FactName::LastRunLoad, &|run| {
        let load = run.metrics.load.clone()?;
        Ok(told(run, FactValue::Number(load.value))
            .with_quality(load.quality)
            .with_method(load.method.as_str()))
    });
    let jump = |run: &PastActivity<'_>, value: &dyn Fn(&Spike) -> FactValue| {
        let day = run.activity.day();
        let spike = view.day(day)?.spike.clone()?;
        let rows = vec![view.source_rows(day.plus_days(-MONTH_DAYS), day), SourceRow::Activity(run.id)];
        Ok(FactValueDraft::new(value(&spike), day, rows))
    };
    put(FactName::LastRunJump, &|run| jump(run, &|spike| FactValue::Number(spike.ratio)));
    put(FactName::LastRunJumpBand, &|run| jump(run, &|spike| FactValue::Word(FactWord::Jump(spike.band))));
}

fn told(run: &PastActivity<'_>, value: FactValue) -> FactValueDraft {
    FactValueDraft::new(value, run.activity.day(), vec![SourceRow::Activity(run.id)])
}

fn is_run(session: &PastActivity<'_>) -> bool {
    session.activity.sport == Sport::Running
}

/// How far, by the source's word, else by the recording. A distance of nothing is what devices write that measured none.
fn way(session: &PastActivity<'_>) -> Option<Distance> {
    let covered = |way: &Distance| *way > Distance::ZERO;
    session.activity.distance.filter(covered).or(session.measures.distance.filter(covered))
}

fn time(session: &PastActivity<'_>) -> Option<TimeSpan> {
    session.measures.times.training().or(session.activity.training_time())
}
