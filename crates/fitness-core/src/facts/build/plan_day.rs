//! Facts about today's workout, the last verdict and pending proposals, of the active plan only.

use super::goals::active_plan;
use super::{FactInput, FactValueDraft, FactsBuilder};
use crate::adherence::grade::{GradedWorkout, Verdict};
use crate::domain::calendar::Day;
use crate::domain::units::{Distance, TimeSpan};
use crate::facts::definitions::FactName;
use crate::facts::input::ActivePlanInput;
use crate::facts::provenance::SourceRow;
use crate::facts::untrusted_names::FactText;
use crate::facts::value::{FactValue, FactWord};
use crate::metrics::{MetricResult, MissingReason, RequiredInput};
use crate::plan::{Plan, PlannedWorkout, Workout};

pub(crate) fn add_facts(view: &FactInput<'_>, book: &mut FactsBuilder) {
    let plan = active_plan(view);
    let named = |text: &dyn Fn(&Plan) -> MetricResult<FactText>| {
        let plan = plan.clone()?;
        let name = FactValue::Text(text(plan)?);
        Ok(FactValueDraft::new(name, view.today(), vec![SourceRow::Plan(plan.id)]))
    };
    book.insert(FactName::PlanName, named(&|plan| fact_text(&plan.name, RequiredInput::Plan)));
    book.insert(FactName::GoalName, named(&|plan| fact_text(plan.goal.label(), RequiredInput::RaceDistance)));
    let following = plan.clone().and_then(|_| view.snapshot.adherence.ok_or(MissingReason::NotYet));
    add_today(view, following.clone(), book);
    add_last_graded(view, following.clone(), book);

    let marked = view.snapshot.absence.ok_or(MissingReason::missing(RequiredInput::Absence));
    let mark = |reason| {
        let word = FactValue::Word(FactWord::Mark(reason));
        FactValueDraft::new(word, view.today(), vec![SourceRow::Day(view.today())])
    };
    book.insert(FactName::AbsenceToday, marked.map(mark));
    let waiting = following.and_then(|following| {
        let called = match following.pending_proposals {
            [] => return Err(MissingReason::missing(RequiredInput::Proposal)),
            [one] => format!("proposal {one}"),
            [first @ .., last] => {
                let first: Vec<String> = first.iter().map(ToString::to_string).collect();
                format!("proposals {} and {last}", first.join(", "))
            }
        };
        let called = FactValue::Text(fact_text(&called, RequiredInput::Proposal)?);
        let rows = following.pending_proposals.iter().map(|id| SourceRow::Proposal(*id)).collect();
        Ok(FactValueDraft::new(called, view.today(), rows))
    });
    book.insert(FactName::PendingProposals, waiting);
}

fn fact_text(text: &str, need: RequiredInput) -> MetricResult<FactText> {
    FactText::new(text).ok_or(MissingReason::missing(need))
}

/// A workout and its grade.
type WorkoutWithGrade<'a> = (&'a PlannedWorkout, &'a GradedWorkout);

/// Workouts of a day in order; a rest entry only if there is nothing else.
fn workouts_on<'a>(following: &ActivePlanInput<'a>, day: Day) -> Vec<WorkoutWithGrade<'a>> {
    let of_day = |planned: &&PlannedWorkout| planned.workout.date == day;
    let graded = |planned: &'a PlannedWorkout| {
        let graded = following.graded.iter().find(|graded| graded.workout == planned.id)?;
        Some((planned, graded))
    };
    let sessions: Vec<WorkoutWithGrade<'a>> =
        following.workouts.iter().filter(of_day).filter_map(graded).collect();
    let work: Vec<WorkoutWithGrade<'a>> =
        sessions.iter().copied().filter(|(planned, _)| !planned.workout.is_rest()).collect();
    if work.is_empty() { sessions } else { work }
}

/// One verdict for a day: pending while any part is, short if the parts differ.
fn day_verdict(sessions: &[WorkoutWithGrade<'_>]) -> Option<Verdict> {
    let mut verdicts = sessions.iter().map(|(_, graded)| graded.verdict);
    let first = verdicts.next()?;
    Some(verdicts.fold(first, |day, verdict| match (day, verdict) {
        (a, b) if a == b => a,
        (Verdict::Pending, _) | (_, Verdict::Pending) => Verdict::Pending,
        _ => Verdict::Short,
    }))
}

fn workout_names(sessions: &[WorkoutWithGrade<'_>], need: RequiredInput) -> MetricResult<FactValue> {
    let names: Vec<&str> = sessions.iter().map(|(planned, _)| planned.workout.name.as_str()).collect();
    fact_text(&names.join(" and "), need).map(FactValue::Text)
}

fn source_rows(sessions: &[WorkoutWithGrade<'_>]) -> Vec<SourceRow> {
    sessions.iter().map(|(planned, _)| SourceRow::Workout(planned.id)).collect()
}

fn add_today(view: &FactInput<'_>, following: MetricResult<ActivePlanInput<'_>>, book: &mut FactsBuilder) {
    let sessions = following.and_then(|following| {
        let sessions = workouts_on(&following, view.today());
        if sessions.is_empty() { Err(MissingReason::missing(RequiredInput::Workout)) } else { Ok(sessions) }
    });
    let mut put = |name: FactName, value: &dyn Fn(&[WorkoutWithGrade<'_>]) -> MetricResult<FactValue>| {
        let told = |sessions: &Vec<WorkoutWithGrade<'_>>| {
            Ok(FactValueDraft::new(value(sessions)?, view.today(), source_rows(sessions)))
        };
        book.insert(name, sessions.as_ref().map_err(Clone::clone).and_then(told));
    };
    put(FactName::TodayWorkout, &|sessions| workout_names(sessions, RequiredInput::Workout));
    put(FactName::TodayWorkoutKind, &|sessions| {
        let main = main_workout(sessions).ok_or(MissingReason::missing(RequiredInput::Workout))?;
        Ok(FactValue::Word(FactWord::Kind(main.kind)))
    });
    put(FactName::TodayWorkoutDistance, &|sessions| {
        let ways =
            sessions.iter().map(|(planned, _)| planned.workout.distance.filter(|way| *way > Distance::ZERO));
        let whole: Option<Distance> = ways.sum();
        whole.map(FactValue::Distance).ok_or(MissingReason::missing(RequiredInput::Distance))
    });
    put(FactName::TodayWorkoutTime, &|sessions| {
        let times = sessions
            .iter()
            .map(|(planned, _)| planned.workout.duration.filter(|time| *time > TimeSpan::ZERO));
        let whole: Option<TimeSpan> = times.sum();
        whole.map(FactValue::Time).ok_or(MissingReason::missing(RequiredInput::Duration))
    });
    put(FactName::TodayWorkoutIntensity, &|sessions| {
        let intensity = main_workout(sessions).and_then(|workout| workout.intensity.as_deref());
        intensity.map_or(Err(MissingReason::missing(RequiredInput::Intensity)), |words| {
            fact_text(words, RequiredInput::Intensity).map(FactValue::Text)
        })
    });
    put(FactName::TodayWorkoutVerdict, &|sessions| {
        let verdict = day_verdict(sessions).ok_or(MissingReason::missing(RequiredInput::Workout))?;
        Ok(FactValue::Word(FactWord::Verdict(verdict)))
    });
}

/// The main workout of a day: the key session, else a quality workout, else the first.
fn main_workout<'a>(sessions: &[WorkoutWithGrade<'a>]) -> Option<&'a Workout> {
    let rank = |workout: &&Workout| (!workout.key, !workout.kind.is_quality());
    sessions.iter().map(|(planned, _)| &planned.workout).min_by_key(rank)
}

fn add_last_graded(
    view: &FactInput<'_>,
    following: MetricResult<ActivePlanInput<'_>>,
    book: &mut FactsBuilder,
) {
    let judged = following.and_then(|following| {
        let before = |graded: &&GradedWorkout| graded.verdict.is_graded() && graded.day < view.today();
        let days = following.graded.iter().filter(before).map(|graded| graded.day);
        let day = days.max().ok_or(MissingReason::missing(RequiredInput::GradedWorkout))?;
        let mut sessions = workouts_on(&following, day);
        sessions.retain(|(_, graded)| graded.verdict.is_graded());
        if sessions.is_empty() {
            Err(MissingReason::missing(RequiredInput::GradedWorkout))
        } else {
            Ok((day, sessions))
        }
    });
    let mut put =
        |name: FactName,
         as_of_today: bool,
         value: &dyn Fn(Day, &[WorkoutWithGrade<'_>]) -> MetricResult<FactValue>| {
            let told = |(day, sessions): &(Day, Vec<WorkoutWithGrade<'_>>)| {
                let as_of = if as_of_today { view.today() } else { *day };
                Ok(FactValueDraft::new(value(*day, sessions)?, as_of, source_rows(sessions)))
            };
            book.insert(name, judged.as_ref().map_err(Clone::clone).and_then(told));
        };
    put(FactName::LastGradedDay, true, &|day, _| Ok(FactValue::Day(day)));
    put(FactName::LastGradedWorkout, false, &|_, sessions| {
        workout_names(sessions, RequiredInput::GradedWorkout)
    });
    put(FactName::LastVerdict, false, &|_, sessions| {
        let verdict = day_verdict(sessions).ok_or(MissingReason::missing(RequiredInput::GradedWorkout))?;
        Ok(FactValue::Word(FactWord::Verdict(verdict)))
    });
    put(FactName::LastAbsence, false, &|_, sessions| {
        let excuse = sessions.iter().find_map(|(_, graded)| graded.excused);
        excuse
            .map(|excuse| FactValue::Word(FactWord::Mark(excuse)))
            .ok_or(MissingReason::missing(RequiredInput::Absence))
    });
}
