//! Facts about completed activities.

use super::{FactInput, FactValueDraft, FactsBuilder, Window, require_days};
use crate::domain::calendar::Day;
use crate::domain::sport::Sport;
use crate::domain::units::{Distance, Speed, TimeSpan};
use crate::facts::definitions::FactName;
use crate::facts::input::PastActivity;
use crate::facts::provenance::SourceRow;
use crate::facts::value::{FactValue, FactWord};
use crate::metrics::load::heart_seconds;
use crate::metrics::load::monotony_and_spikes::Spike;
use crate::metrics::{MetricResult, MissingReason, Quality, RequiredInput};

const MONTH_DAYS: i64 = 30;

pub(crate) fn add_facts(view: &FactInput<'_>, book: &mut FactsBuilder) {
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

/// The activities of a period of complete days.
#[derive(Clone)]
struct ActivityPeriod<'a> {
    rows: SourceRow,
    through: Day,
    activities: Vec<&'a PastActivity<'a>>,
}

/// All activities of a period, or why some are unknown.
fn activities_in_period<'a>(view: &FactInput<'a>, ago: i64, length: i64) -> MetricResult<ActivityPeriod<'a>> {
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
        let (sum, doubt) = total(self.run_activities().map(distance), RequiredInput::Distance)?;
        Ok(self.fact(FactValue::Distance(sum), self.run_activities()).with_quality(doubt))
    }

    fn total_time(&self) -> MetricResult<FactValueDraft> {
        let (sum, doubt) =
            total(self.activities.iter().map(|session| time(session)), RequiredInput::Duration)?;
        Ok(self.fact(FactValue::Time(sum), self.activities.iter().copied()).with_quality(doubt))
    }

    fn longest_run(&self) -> MetricResult<FactValueDraft> {
        let runs = self.run_activities().filter_map(|run| Some((distance(run)?, run)));
        // Of two runs of equal distance, the later one.
        let longest = runs.max_by_key(|(far, run)| (*far, run.activity.started_at, run.id));
        let none =
            if self.run_activities().next().is_some() { RequiredInput::Distance } else { RequiredInput::Run };
        let (far, run) = longest.ok_or(MissingReason::missing(none))?;
        let doubt = completeness_quality(self.run_activities().all(|run| distance(run).is_some()));
        Ok(self.fact(FactValue::Distance(far), std::iter::once(run)).with_quality(doubt))
    }
}

/// A sum, provisional if a part is unknown. No activities sum to zero; activities of which none has
/// a value have no sum.
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

fn add_last_run(view: &FactInput<'_>, book: &mut FactsBuilder) {
    let run = view.activities.iter().copied().rfind(|session| is_run(session));
    let run = run.ok_or(if view.days.is_empty() {
        MissingReason::NotYet
    } else {
        MissingReason::missing(RequiredInput::Run)
    });
    // While yesterday is incomplete, a later run may still be synced.
    let arrived = completeness_quality(view.is_complete(view.yesterday()));
    let mut put = |name: FactName, value: &dyn Fn(&PastActivity<'_>) -> MetricResult<FactValueDraft>| {
        book.insert(name, run.clone().and_then(value).map(|fact| fact.with_quality(arrived)));
    };
    put(FactName::LastRunDay, &|run| {
        Ok(FactValueDraft { as_of: view.today(), ..run_fact(run, FactValue::Day(run.activity.day())) })
    });
    put(FactName::LastRunDistance, &|run| {
        distance(run)
            .map(|distance| run_fact(run, FactValue::Distance(distance)))
            .ok_or(MissingReason::missing(RequiredInput::Distance))
    });
    put(FactName::LastRunTime, &|run| {
        time(run)
            .map(|time| run_fact(run, FactValue::Time(time)))
            .ok_or(MissingReason::missing(RequiredInput::Duration))
    });
    put(FactName::LastRunPace, &|run| {
        let distance = distance(run).ok_or(MissingReason::missing(RequiredInput::Distance))?;
        let time = time(run).ok_or(MissingReason::missing(RequiredInput::Duration))?;
        let pace = Speed::from_distance_and_time(distance, time)
            .and_then(Speed::pace)
            .ok_or(MissingReason::missing(RequiredInput::Distance))?;
        Ok(run_fact(run, FactValue::Pace(pace)))
    });
    put(FactName::LastRunHeartRate, &|run| {
        let (beats, quality) = heart_seconds(run.activity, run.measures)?;
        let mean = beats.mean().ok_or(MissingReason::missing(RequiredInput::HeartRate))?;
        let fact = run_fact(run, FactValue::Number(mean)).with_quality(quality);
        // Without a recording, only the summary of the device is known.
        Ok(if run.measures.heart.is_ok() { fact } else { fact.with_method("average reported by the device") })
    });
    put(FactName::LastRunLoad, &|run| {
        let load = run.metrics.load.clone()?;
        Ok(run_fact(run, FactValue::Number(load.value))
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

fn run_fact(run: &PastActivity<'_>, value: FactValue) -> FactValueDraft {
    FactValueDraft::new(value, run.activity.day(), vec![SourceRow::Activity(run.id)])
}

fn is_run(session: &PastActivity<'_>) -> bool {
    session.activity.sport == Sport::Running
}

/// Distance from the summary, else from the recording. Devices write 0 if they did not measure one.
fn distance(session: &PastActivity<'_>) -> Option<Distance> {
    let covered = |distance: &Distance| *distance > Distance::ZERO;
    session.activity.distance.filter(covered).or(session.measures.distance.filter(covered))
}

fn time(session: &PastActivity<'_>) -> Option<TimeSpan> {
    session.measures.times.training().or(session.activity.training_time())
}
