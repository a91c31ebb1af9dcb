//! Facts about what was done.

use super::{Book, Told, View, Window, enough};
use crate::domain::calendar::Day;
use crate::domain::sport::Sport;
use crate::domain::units::{Distance, Speed, TimeSpan};
use crate::facts::input::PastSession;
use crate::facts::provenance::SourceRow;
use crate::facts::table::FactName;
use crate::facts::value::{FactValue, FactWord};
use crate::metrics::load::distribution::Spike;
use crate::metrics::load::heart_seconds;
use crate::metrics::{Absent, Found, Need, Quality};

const MONTH: i64 = 30;

pub(crate) fn write(view: &View<'_>, book: &mut Book) {
    let week = done(view, 1, 7);
    let before = done(view, 8, 7);
    book.put(FactName::Distance7Days, week.clone().and_then(|week| week.way()));
    book.put(FactName::Distance7DaysBefore, before.and_then(|before| before.way()));
    book.put(FactName::Runs7Days, week.clone().map(|week| week.runs()));
    book.put(FactName::TrainingTime7Days, week.and_then(|week| week.time()));
    book.put(FactName::LongestRun30Days, done(view, 1, MONTH).and_then(|month| month.longest_run()));
    last_run(view, book);
}

/// The sessions of a stretch of complete days.
#[derive(Clone)]
struct Stretch<'a> {
    rows: SourceRow,
    through: Day,
    sessions: Vec<&'a PastSession<'a>>,
}

/// Every session of a stretch of complete days, or why they are not all known.
fn done<'a>(view: &View<'a>, ago: i64, length: i64) -> Found<Stretch<'a>> {
    let Window { from, through, .. } = view.window(ago, length)?;
    enough(view.snapshot.sessions_from.until(through) + 1, length)?;
    let within = |session: &&&PastSession<'_>| (from..=through).contains(&session.activity.day());
    let sessions = view.sessions.iter().filter(within).copied().collect();
    Ok(Stretch { rows: SourceRow::Days { from, through }, through, sessions })
}

impl<'a> Stretch<'a> {
    fn running(&self) -> impl Iterator<Item = &'a PastSession<'a>> {
        self.sessions.iter().copied().filter(|session| is_run(session))
    }

    fn told(&self, value: FactValue, from: impl Iterator<Item = &'a PastSession<'a>>) -> Told {
        let activities = from.map(|session| SourceRow::Activity(session.id));
        Told::new(value, self.through, std::iter::once(self.rows).chain(activities).collect())
    }

    fn runs(&self) -> Told {
        self.told(FactValue::Number(self.running().count() as f64), self.running())
    }

    fn way(&self) -> Found<Told> {
        let (sum, doubt) = total(self.running().map(way), Need::Distance)?;
        Ok(self.told(FactValue::Distance(sum), self.running()).with(doubt))
    }

    fn time(&self) -> Found<Told> {
        let (sum, doubt) = total(self.sessions.iter().map(|session| time(session)), Need::Duration)?;
        Ok(self.told(FactValue::Time(sum), self.sessions.iter().copied()).with(doubt))
    }

    fn longest_run(&self) -> Found<Told> {
        let longest = self.running().filter_map(|run| Some((way(run)?, run)));
        // Of two as long, the later.
        let longest = longest.max_by_key(|(way, run)| (*way, run.activity.started_at, run.id));
        let none = if self.running().next().is_some() { Need::Distance } else { Need::Run };
        let (distance, run) = longest.ok_or(Absent::missing(none))?;
        let doubt = doubt(self.running().all(|run| way(run).is_some()));
        Ok(self.told(FactValue::Distance(distance), std::iter::once(run)).with(doubt))
    }
}

/// A sum that may be more where a part of it is unknown. Nothing done is nothing; nothing known of what was done is not.
fn total<T: std::iter::Sum>(parts: impl Iterator<Item = Option<T>>, need: Need) -> Found<(T, Quality)> {
    let parts: Vec<Option<T>> = parts.collect();
    let (all, known) = (parts.len(), parts.iter().flatten().count());
    if all > 0 && known == 0 {
        return Err(Absent::missing(need));
    }
    Ok((parts.into_iter().flatten().sum(), doubt(known == all)))
}

fn doubt(whole: bool) -> Quality {
    if whole { Quality::Ok } else { Quality::Provisional }
}

fn last_run(view: &View<'_>, book: &mut Book) {
    let run = view.sessions.iter().copied().rfind(|session| is_run(session));
    let run = run.ok_or(if view.days.is_empty() { Absent::NotYet } else { Absent::missing(Need::Run) });
    // While a day before today is not complete, a later run may still arrive.
    let arrived = doubt(view.is_complete(view.yesterday()));
    let mut put = |name: FactName, value: &dyn Fn(&PastSession<'_>) -> Found<Told>| {
        book.put(name, run.clone().and_then(value).map(|told| told.with(arrived)));
    };
    put(FactName::LastRunDay, &|run| {
        Ok(Told { as_of: view.today(), ..told(run, FactValue::Day(run.activity.day())) })
    });
    put(FactName::LastRunDistance, &|run| {
        way(run).map(|way| told(run, FactValue::Distance(way))).ok_or(Absent::missing(Need::Distance))
    });
    put(FactName::LastRunTime, &|run| {
        time(run).map(|time| told(run, FactValue::Time(time))).ok_or(Absent::missing(Need::Duration))
    });
    put(FactName::LastRunPace, &|run| {
        let way = way(run).ok_or(Absent::missing(Need::Distance))?;
        let time = time(run).ok_or(Absent::missing(Need::Duration))?;
        let pace = Speed::over(way, time).and_then(Speed::pace).ok_or(Absent::missing(Need::Distance))?;
        Ok(told(run, FactValue::Pace(pace)))
    });
    put(FactName::LastRunHeartRate, &|run| {
        let (beats, quality) = heart_seconds(run.activity, run.measures)?;
        let mean = beats.mean().ok_or(Absent::missing(Need::HeartRate))?;
        let told = told(run, FactValue::Number(mean)).with(quality);
        // Without a recording there is only the source's word.
        Ok(if run.measures.heart.is_ok() { told } else { told.by("mean as told by the device") })
    });
    put(FactName::LastRunLoad, &|run| {
        let load = run.judged.load.clone()?;
        Ok(told(run, FactValue::Number(load.value)).with(load.quality).by(load.method.as_str()))
    });
    let jump = |run: &PastSession<'_>, value: &dyn Fn(&Spike) -> FactValue| {
        let day = run.activity.day();
        let spike = view.day(day)?.spike.clone()?;
        let rows = vec![view.rows(day.plus(-MONTH), day), SourceRow::Activity(run.id)];
        Ok(Told::new(value(&spike), day, rows))
    };
    put(FactName::LastRunJump, &|run| jump(run, &|spike| FactValue::Number(spike.ratio)));
    put(FactName::LastRunJumpBand, &|run| jump(run, &|spike| FactValue::Word(FactWord::Jump(spike.band))));
}

fn told(run: &PastSession<'_>, value: FactValue) -> Told {
    Told::new(value, run.activity.day(), vec![SourceRow::Activity(run.id)])
}

fn is_run(session: &PastSession<'_>) -> bool {
    session.activity.sport == Sport::Running
}

/// How far, by the source's word, else by the recording. A distance of nothing is what devices write that measured none.
fn way(session: &PastSession<'_>) -> Option<Distance> {
    let covered = |way: &Distance| *way > Distance::ZERO;
    session.activity.distance.filter(covered).or(session.measures.distance.filter(covered))
}

fn time(session: &PastSession<'_>) -> Option<TimeSpan> {
    session.measures.times.training().or(session.activity.training_time())
}
