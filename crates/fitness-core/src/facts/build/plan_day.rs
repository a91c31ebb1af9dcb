//! Facts about the day's session, the last verdict, and what waits for the athlete.
//!
//! Only of a plan that is tracked: of a draft, or without a plan, nothing is told.

use super::goals::active;
use super::{Book, Told, View};
use crate::adherence::grade::{Graded, Verdict};
use crate::domain::calendar::Day;
use crate::domain::units::{Distance, TimeSpan};
use crate::facts::input::Following;
use crate::facts::provenance::SourceRow;
use crate::facts::table::FactName;
use crate::facts::untrusted_names::FactText;
use crate::facts::value::{FactValue, FactWord};
use crate::metrics::{Absent, Found, Need};
use crate::plan::{Plan, PlannedWorkout, Workout};

pub(crate) fn write(view: &View<'_>, book: &mut Book) {
    let plan = active(view);
    let named = |text: &dyn Fn(&Plan) -> Found<FactText>| {
        let plan = plan.clone()?;
        let name = FactValue::Text(text(plan)?);
        Ok(Told::new(name, view.today(), vec![SourceRow::Plan(plan.id)]))
    };
    book.put(FactName::PlanName, named(&|plan| name(&plan.name, Need::Plan)));
    book.put(FactName::GoalName, named(&|plan| name(plan.goal.spoken(), Need::RaceDistance)));
    let following = plan.clone().and_then(|_| view.snapshot.following.ok_or(Absent::NotYet));
    today(view, following.clone(), book);
    last_judged(view, following.clone(), book);

    let marked = view.snapshot.marked.ok_or(Absent::missing(Need::Mark));
    let mark = |excuse| {
        let word = FactValue::Word(FactWord::Mark(excuse));
        Told::new(word, view.today(), vec![SourceRow::Day(view.today())])
    };
    book.put(FactName::MarkedToday, marked.map(mark));
    let waiting = following.and_then(|following| {
        let called = match following.waiting {
            [] => return Err(Absent::missing(Need::Proposal)),
            [one] => format!("proposal {one}"),
            [first @ .., last] => {
                let first: Vec<String> = first.iter().map(ToString::to_string).collect();
                format!("proposals {} and {last}", first.join(", "))
            }
        };
        let called = FactValue::Text(name(&called, Need::Proposal)?);
        let rows = following.waiting.iter().map(|id| SourceRow::Proposal(*id)).collect();
        Ok(Told::new(called, view.today(), rows))
    });
    book.put(FactName::ProposalWaiting, waiting);
}

fn name(text: &str, need: Need) -> Found<FactText> {
    FactText::new(text).ok_or(Absent::missing(need))
}

/// A workout and what became of it.
type Session<'a> = (&'a PlannedWorkout, &'a Graded);

/// The sessions of a day, in order; a rest day's only where there is nothing else.
fn on<'a>(following: &Following<'a>, day: Day) -> Vec<Session<'a>> {
    let of_day = |planned: &&PlannedWorkout| planned.workout.date == day;
    let graded = |planned: &'a PlannedWorkout| {
        let graded = following.graded.iter().find(|graded| graded.workout == planned.id)?;
        Some((planned, graded))
    };
    let sessions: Vec<Session<'a>> = following.workouts.iter().filter(of_day).filter_map(graded).collect();
    let work: Vec<Session<'a>> =
        sessions.iter().copied().filter(|(planned, _)| !planned.workout.is_rest()).collect();
    if work.is_empty() { sessions } else { work }
}

/// One verdict for a day: while a part of it is pending it is; what was done in part is short.
fn of_a_day(sessions: &[Session<'_>]) -> Option<Verdict> {
    let mut verdicts = sessions.iter().map(|(_, graded)| graded.verdict);
    let first = verdicts.next()?;
    Some(verdicts.fold(first, |day, verdict| match (day, verdict) {
        (a, b) if a == b => a,
        (Verdict::Pending, _) | (_, Verdict::Pending) => Verdict::Pending,
        _ => Verdict::Short,
    }))
}

/// What the sessions of a day are called.
fn called(sessions: &[Session<'_>], need: Need) -> Found<FactValue> {
    let names: Vec<&str> = sessions.iter().map(|(planned, _)| planned.workout.name.as_str()).collect();
    name(&names.join(" and "), need).map(FactValue::Text)
}

fn rows(sessions: &[Session<'_>]) -> Vec<SourceRow> {
    sessions.iter().map(|(planned, _)| SourceRow::Workout(planned.id)).collect()
}

fn today(view: &View<'_>, following: Found<Following<'_>>, book: &mut Book) {
    let sessions = following.and_then(|following| {
        let sessions = on(&following, view.today());
        if sessions.is_empty() { Err(Absent::missing(Need::Session)) } else { Ok(sessions) }
    });
    let mut put = |name: FactName, value: &dyn Fn(&[Session<'_>]) -> Found<FactValue>| {
        let told =
            |sessions: &Vec<Session<'_>>| Ok(Told::new(value(sessions)?, view.today(), rows(sessions)));
        book.put(name, sessions.as_ref().map_err(Clone::clone).and_then(told));
    };
    put(FactName::TodaySession, &|sessions| called(sessions, Need::Session));
    put(FactName::TodaySessionKind, &|sessions| {
        let main = main(sessions).ok_or(Absent::missing(Need::Session))?;
        Ok(FactValue::Word(FactWord::Kind(main.kind)))
    });
    put(FactName::TodaySessionDistance, &|sessions| {
        let ways =
            sessions.iter().map(|(planned, _)| planned.workout.distance.filter(|way| *way > Distance::ZERO));
        let whole: Option<Distance> = ways.sum();
        whole.map(FactValue::Distance).ok_or(Absent::missing(Need::Distance))
    });
    put(FactName::TodaySessionTime, &|sessions| {
        let times = sessions
            .iter()
            .map(|(planned, _)| planned.workout.duration.filter(|time| *time > TimeSpan::ZERO));
        let whole: Option<TimeSpan> = times.sum();
        whole.map(FactValue::Time).ok_or(Absent::missing(Need::Duration))
    });
    put(FactName::TodaySessionIntensity, &|sessions| {
        let intensity = main(sessions).and_then(|workout| workout.intensity.as_deref());
        intensity.map_or(Err(Absent::missing(Need::Intensity)), |words| {
            name(words, Need::Intensity).map(FactValue::Text)
        })
    });
    put(FactName::TodaySessionState, &|sessions| {
        let verdict = of_a_day(sessions).ok_or(Absent::missing(Need::Session))?;
        Ok(FactValue::Word(FactWord::Verdict(verdict)))
    });
}

/// The session a day is about: the one the week hangs on, else a hard one, else the first.
fn main<'a>(sessions: &[Session<'a>]) -> Option<&'a Workout> {
    let rank = |workout: &&Workout| (!workout.key, !workout.kind.is_quality());
    sessions.iter().map(|(planned, _)| &planned.workout).min_by_key(rank)
}

fn last_judged(view: &View<'_>, following: Found<Following<'_>>, book: &mut Book) {
    let judged = following.and_then(|following| {
        let before = |graded: &&Graded| graded.verdict.is_judged() && graded.day < view.today();
        let days = following.graded.iter().filter(before).map(|graded| graded.day);
        let day = days.max().ok_or(Absent::missing(Need::Judged))?;
        let mut sessions = on(&following, day);
        sessions.retain(|(_, graded)| graded.verdict.is_judged());
        if sessions.is_empty() { Err(Absent::missing(Need::Judged)) } else { Ok((day, sessions)) }
    });
    let mut put =
        |name: FactName, as_of_today: bool, value: &dyn Fn(Day, &[Session<'_>]) -> Found<FactValue>| {
            let told = |(day, sessions): &(Day, Vec<Session<'_>>)| {
                let as_of = if as_of_today { view.today() } else { *day };
                Ok(Told::new(value(*day, sessions)?, as_of, rows(sessions)))
            };
            book.put(name, judged.as_ref().map_err(Clone::clone).and_then(told));
        };
    put(FactName::LastJudgedDay, true, &|day, _| Ok(FactValue::Day(day)));
    put(FactName::LastJudgedSession, false, &|_, sessions| called(sessions, Need::Judged));
    put(FactName::LastVerdict, false, &|_, sessions| {
        let verdict = of_a_day(sessions).ok_or(Absent::missing(Need::Judged))?;
        Ok(FactValue::Word(FactWord::Verdict(verdict)))
    });
    put(FactName::LastExcuse, false, &|_, sessions| {
        let excuse = sessions.iter().find_map(|(_, graded)| graded.excused);
        excuse.map(|excuse| FactValue::Word(FactWord::Mark(excuse))).ok_or(Absent::missing(Need::Mark))
    });
}
