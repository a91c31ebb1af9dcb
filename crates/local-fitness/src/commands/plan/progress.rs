//! A plan with how it is followed, in words.

use crate::plural::pluralize;
use crate::table::table;
use fitness_core::adherence::grade::{GradedWorkout, Verdict};
use fitness_core::adherence::{Adherence, CurrentAndOriginal, MatchSuggestion, Volume, WorkoutNoteKind};
use fitness_core::domain::calendar::Day;
use fitness_core::domain::note::Author;
use fitness_core::domain::units::{TimeSpan, UnitSystem};
use fitness_core::domain::untrusted_text::escape_invisible;
use fitness_core::plan::{Plan, PlanStatus, PlannedAmount, PlannedWorkout};
use fitness_store::PlanAdherence;
use std::fmt::Write as _;

/// A plan with its verdicts and notes, week by week.
pub(super) fn render_plan(
    progress: &PlanAdherence,
    author: Option<Author>,
    units: UnitSystem,
    today: Day,
) -> String {
    let PlanAdherence { plan, workouts, frontier, adherence: followed, .. } = progress;
    let mut text = plan_heading(plan, author, workouts, units);
    if plan.status != PlanStatus::Draft {
        let data = match (frontier.complete_through(), frontier.open_day()) {
            (None, _) => "no data yet, so nothing is judged".to_owned(),
            (Some(day), None) => format!("data through {day}"),
            (Some(day), Some(open)) => format!("data through {day}, some of {open}"),
        };
        let tally = followed.tally;
        let excused = if tally.excused > 0 { format!(", {} excused", tally.excused) } else { String::new() };
        let _ = writeln!(
            text,
            "{data}; {} hit, {} short, {} missed{excused}",
            tally.hit, tally.short, tally.missed
        );
        text.push_str(&adherence_lines(&followed.adherence, &followed.key_sessions, plan.revision));
    }
    let rows: Vec<_> = (0..workouts.len()).map(|index| workout_row(progress, index, units, today)).collect();
    let mut week = None;
    for (index, line) in table([""; 5], &rows).lines().skip(1).enumerate() {
        let this = workouts[index].workout.date.iso_week();
        if week.replace(this) != Some(this) {
            let _ = writeln!(text, "\n{this}{}", week_line(progress, this.monday(), units));
        }
        let _ = writeln!(text, "{line}");
        text.push_str(&render_notes(progress, index, units));
    }
    text
}

/// What a plan is, in two lines.
fn plan_heading(
    plan: &Plan,
    author: Option<Author>,
    workouts: &[PlannedWorkout],
    units: UnitSystem,
) -> String {
    let target = plan.target_time.map(|time| format!(" in {}", time.format_clock())).unwrap_or_default();
    let asked = PlannedAmount::from_workouts(workouts.iter().map(|planned| &planned.workout), plan.race_date);
    let asked = asked.label(units).map(|told| format!(": {told}")).unwrap_or_default();
    let training = workouts.iter().filter(|w| !w.workout.is_rest()).count();
    format!(
        "Plan {}, {} ({}){}\n{}{target}; {} from {}{asked}\n",
        plan.id,
        escape_invisible(&plan.name),
        plan.status,
        super::author_label(author),
        plan.describe_goal(units),
        pluralize(training as u64, "workout", "workouts"),
        start_label(plan),
    )
}

/// From when the plan counts: `2026-06-15`, and when it was begun where that was later.
fn start_label(plan: &Plan) -> String {
    match plan.begun_on.filter(|begun| *begun > plan.start_date) {
        Some(begun) => format!("{}, begun on {begun}", plan.start_date),
        None => plan.start_date.to_string(),
    }
}

/// One workout with its verdict and notes.
pub(super) fn render_workout(
    progress: &PlanAdherence,
    index: usize,
    units: UnitSystem,
    today: Day,
) -> String {
    let line = table([""; 5], &[workout_row(progress, index, units, today)]);
    format!("{}\n{}", line.lines().skip(1).collect::<String>(), render_notes(progress, index, units))
}

/// How much of what was asked was done, against the plan as it is and as it was committed.
fn adherence_lines(all: &CurrentAndOriginal, key: &CurrentAndOriginal, revision: i64) -> String {
    let mut text = String::new();
    for (label, both) in [("adherence", all), ("key sessions", key)] {
        let Adherence { percent: Some(percent), counted: count, weighed_by, .. } = both.current else {
            continue;
        };
        let by = weighed_by.map(|by| format!(", weighed by {by}")).unwrap_or_default();
        let workouts = pluralize(count as u64, "workout", "workouts");
        let committed = match both.original.percent {
            Some(original) if revision > 1 => format!("; {original} % of the plan you committed to"),
            _ => String::new(),
        };
        let _ = writeln!(text, "{label} {percent} % over {workouts}{by}{committed}");
    }
    if all.current.percent.is_some() {
        text.push_str(
            "(Adherence counts of each workout what was done, up to what it asked; a run that was not planned adds to \
             the week's distance alone.)\n",
        );
    }
    let left_out = [
        (all.current.excused, "on days you were ill, injured or away"),
        (all.current.unmeasured, "of which it is not known how much was done"),
    ];
    for (count, why) in left_out.into_iter().filter(|(count, _)| *count > 0) {
        let _ = writeln!(text, "left out: {} {why}", pluralize(count as u64, "workout", "workouts"));
    }
    text
}

/// What was planned in a week and what was done: running by distance, or by time where none is known; then everything by
/// time and load.
fn week_line(progress: &PlanAdherence, monday: Day, units: UnitSystem) -> String {
    let PlanAdherence { plan, workouts, adherence: followed, .. } = progress;
    let within = |index: &usize| workouts[*index].workout.date.iso_week().monday() == monday;
    let of_week = |counts: &dyn Fn(&GradedWorkout) -> bool| {
        // A draft has no verdicts, and all of it is planned.
        let indexes = (0..workouts.len()).filter(within);
        let counted = indexes.filter(|index| followed.graded.get(*index).is_none_or(counts));
        PlannedAmount::from_workouts(counted.map(|index| &workouts[index].workout), plan.race_date)
    };
    let planned = of_week(&|graded| graded.verdict != Verdict::NotStarted);
    let Some(week) = followed.weeks.iter().find(|week| week.monday == monday) else {
        return planned.label(units).map(|told| format!("  planned: {told}")).unwrap_or_default();
    };
    let so_far = of_week(&|graded| graded.verdict.is_graded() && graded.excused.is_none());
    let begun = week.over || week.all_sports.done.count > 0 || week.all_sports.so_far.count > 0;
    let told = |asked: PlannedAmount| asked.label(units).unwrap_or_else(|| "no running".to_owned());
    let mut parts = Vec::new();
    if begun && (planned != PlannedAmount::default() || week.running.done.count > 0) {
        let ran = run_volume_label(&week.running.done, planned, units);
        parts.push(if week.over {
            format!("ran {ran}, planned {}", told(planned))
        } else {
            format!("ran {ran} so far, planned by now {}, in the week {}", told(so_far), told(planned))
        });
    } else if !begun {
        parts.extend(planned.label(units).map(|told| format!("planned: {told}")));
    }
    let adherence = &week.adherence;
    parts.extend(adherence.percent.map(|percent| format!("adherence {percent} %")));
    if adherence.excused > 0 {
        parts.push(format!("{} excused", adherence.excused));
    }
    let all = &week.all_sports;
    let compared = |shown: &dyn Fn(&Volume) -> String| match (week.over, begun) {
        (true, _) => format!("{} (planned {})", shown(&all.done), shown(&all.planned)),
        (false, true) => format!("{} (planned by now {})", shown(&all.done), shown(&all.so_far)),
        (false, false) => shown(&all.planned),
    };
    let mut together = Vec::new();
    // A week of runs by time has said it already.
    let said = !begun && !planned.has_distance() && planned.by_time == all.planned.duration;
    if all.planned.count > 0 && all.planned.without_duration == 0 && !said {
        together.push(compared(&|volume| volume.duration.format_hours_minutes()));
    }
    if all.planned.count > 0 && all.planned.without_load == 0 {
        together.push(format!("load {}", compared(&|volume| format!("{:.0}", volume.load))));
    }
    if !together.is_empty() {
        parts.push(format!("all sports {}", together.join(", ")));
    }
    if parts.is_empty() { String::new() } else { format!("  {}", parts.join("; ")) }
}

/// What was run, in the measure it was planned in.
fn run_volume_label(done: &Volume, planned: PlannedAmount, units: UnitSystem) -> String {
    if planned.by_time > TimeSpan::ZERO && !planned.has_distance() {
        return done.duration.format_hours_minutes();
    }
    let far = units.format_distance(done.distance).to_string();
    let far = if planned.by_time > TimeSpan::ZERO {
        format!("{far} in {}", done.duration.format_hours_minutes())
    } else {
        far
    };
    match done.without_distance {
        0 => far,
        some => {
            format!("{far} and {}", pluralize(some as u64, "run of unknown length", "runs of unknown length"))
        }
    }
}

fn workout_row(progress: &PlanAdherence, index: usize, units: UnitSystem, today: Day) -> [String; 5] {
    let PlannedWorkout { id, workout } = &progress.workouts[index];
    // A draft has no verdicts.
    let graded = progress.adherence.graded.get(index);
    let asked = workout.size_label(units).unwrap_or_default();
    let done = graded.and_then(|graded| graded.actual).map(|done| done.format(units));
    let size = done.map_or_else(|| asked.clone(), |done| format!("{done} of {asked}"));
    let key = if workout.key { " (key)" } else { "" };
    [
        id.to_string(),
        format!("{} {}", workout.date.weekday(), workout.date),
        graded.map(|graded| verdict_label(graded, today)).unwrap_or_default(),
        size,
        format!("{}{key}", escape_invisible(workout.name_without_size(units))),
    ]
}

fn verdict_label(graded: &GradedWorkout, today: Day) -> String {
    let word = match graded.verdict {
        Verdict::Hit => "✓ hit",
        Verdict::Short => "◐ short",
        Verdict::Missed => "✕ missed",
        Verdict::Rest => "– rest",
        Verdict::NotStarted => "· not started",
        // Said only of days that have passed; a future day carries no verdict.
        Verdict::Pending if graded.day < today => "◌ waiting for data",
        Verdict::Pending => "",
    };
    // What is excused looks neutral, whatever the verdict.
    match graded.excused {
        Some(excuse) if graded.verdict.is_graded() => format!("· {excuse} ({})", graded.verdict),
        Some(excuse) => format!("{word} ({excuse})").trim_start().to_owned(),
        None => word.to_owned(),
    }
}

/// What no verdict says about a workout, a line each.
fn render_notes(progress: &PlanAdherence, index: usize, units: UnitSystem) -> String {
    let (id, followed) = (progress.workouts[index].id, &progress.adherence);
    let mut text = String::new();
    for note in followed.notes.iter().filter(|note| note.workout == id) {
        let activities: Vec<String> = note.activities.iter().map(ToString::to_string).collect();
        let activities = activities.join(", ");
        let told = match note.kind {
            WorkoutNoteKind::Over => {
                "over: more than 130 % of what was asked; sudden steps are what hurts (rule R1)".to_owned()
            }
            WorkoutNoteKind::RestDayRun => {
                format!("ran more than half an hour on a rest day (activity {activities})")
            }
            WorkoutNoteKind::Moved => match followed.offers.iter().find(|offer| offer.workout == id) {
                Some(offer) => match_suggestion_label(offer, units),
                None => format!("moved: done on another day (activity {activities})"),
            },
        };
        let _ = writeln!(text, "    {told}");
    }
    text
}

fn match_suggestion_label(offer: &MatchSuggestion, units: UnitSystem) -> String {
    let MatchSuggestion { workout, activity, done_day, done, .. } = offer;
    let size = done.map(|done| format!(", {}", done.format(units))).unwrap_or_default();
    format!(
        "moved? activity {activity} on {} {done_day}{size}: `fitness plan match {workout} {activity}` counts it, with \
         --decline it is not asked again",
        done_day.weekday()
    )
}
