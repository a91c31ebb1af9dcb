//! Text output of a plan: verdicts, weeks, adherence, notes.

use crate::plural::pluralize;
use crate::table::table;
use fitness_core::adherence::grade::{GradedWorkout, Verdict};
use fitness_core::adherence::{
    Adherence, CurrentAndOriginalAdherence, MatchSuggestion, Volume, WorkoutNoteKind,
};
use fitness_core::domain::calendar::Day;
use fitness_core::domain::note::Author;
use fitness_core::domain::units::{Distance, TimeSpan, UnitSystem};
use fitness_core::domain::untrusted_text::escape_invisible;
use fitness_core::plan::{Plan, PlanStatus, PlannedRunningTotals, PlannedWorkout};
use fitness_store::PlanAdherence;
use std::fmt::Write as _;

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
            (None, _) => "no data yet, so nothing is graded".to_owned(),
            (Some(day), None) => format!("data complete through {day}"),
            (Some(day), Some(open)) => format!("data complete through {day}; some data for {open}"),
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
        let monday = workouts[index].workout.date.iso_week().monday();
        if week.replace(monday) != Some(monday) {
            let first = monday.date().format("%-d %b");
            let _ = writeln!(text, "\nWeek of {first}{}", week_line(progress, monday, units));
        }
        let _ = writeln!(text, "{line}");
        text.push_str(&render_notes(progress, index, units));
    }
    text
}

fn plan_heading(
    plan: &Plan,
    author: Option<Author>,
    workouts: &[PlannedWorkout],
    units: UnitSystem,
) -> String {
    let target =
        plan.target_time.map(|time| format!(", goal time {}", time.format_clock())).unwrap_or_default();
    let amount =
        PlannedRunningTotals::from_workouts(workouts.iter().map(|planned| &planned.workout), plan.race_date);
    let amount = amount.label(units).map(|label| format!(", {label}")).unwrap_or_default();
    let training = workouts.iter().filter(|w| !w.workout.is_rest()).count();
    format!(
        "Plan {}, {} ({}){}\n{}{target}. {} from {}{amount}.\n",
        plan.id,
        escape_invisible(&plan.name),
        plan.status,
        super::author_label(plan, author),
        plan.describe_goal(units),
        pluralize(training as u64, "workout", "workouts"),
        start_label(plan),
    )
}

/// The start date, such as `2026-06-15`, and the actual start if it was later.
fn start_label(plan: &Plan) -> String {
    match plan.begun_on.filter(|begun| *begun > plan.start_date) {
        Some(begun) => format!("{}, started on {begun}", plan.start_date),
        None => plan.start_date.to_string(),
    }
}

pub(super) fn render_workout(
    progress: &PlanAdherence,
    index: usize,
    units: UnitSystem,
    today: Day,
) -> String {
    let line = table([""; 5], &[workout_row(progress, index, units, today)]);
    format!("{}\n{}", line.lines().skip(1).collect::<String>(), render_notes(progress, index, units))
}

/// Adherence to the current plan and to the plan as activated.
fn adherence_lines(
    all: &CurrentAndOriginalAdherence,
    key: &CurrentAndOriginalAdherence,
    revision: i64,
) -> String {
    let mut text = String::new();
    for (label, both) in [("adherence", all), ("key workouts", key)] {
        let Adherence { percent: Some(percent), counted: count, weighed_by, .. } = both.current else {
            continue;
        };
        let by = weighed_by.map(|by| format!(", weighted by {by}")).unwrap_or_default();
        let workouts = pluralize(count as u64, "workout", "workouts");
        let committed = match both.original.percent {
            Some(original) if revision > 1 => {
                format!("; {original}% compared with the plan as you activated it")
            }
            _ => String::new(),
        };
        let _ = writeln!(text, "{label} {percent}% over {workouts}{by}{committed}");
    }
    if all.current.percent.is_some() {
        text.push_str(
            "(Each workout counts up to its planned amount. Unplanned runs count only in the weekly distance.)\n",
        );
    }
    let left_out = [
        (all.current.excused, "on days you were ill, injured or away"),
        (all.current.unmeasured, "done but not measured"),
    ];
    for (count, why) in left_out.into_iter().filter(|(count, _)| *count > 0) {
        let _ = writeln!(text, "not counted: {} {why}", pluralize(count as u64, "workout", "workouts"));
    }
    text
}

/// Planned and done in a week, to follow `Week of 19 Oct`: running by distance, or by time for plans
/// without distances; then all sports by time and load.
fn week_line(progress: &PlanAdherence, monday: Day, units: UnitSystem) -> String {
    let PlanAdherence { plan, workouts, adherence: followed, .. } = progress;
    let within = |index: &usize| workouts[*index].workout.date.iso_week().monday() == monday;
    let of_week = |counts: &dyn Fn(&GradedWorkout) -> bool| {
        // A draft has no verdicts; all of it counts as planned.
        let indexes = (0..workouts.len()).filter(within);
        let counted = indexes.filter(|index| followed.graded.get(*index).is_none_or(counts));
        PlannedRunningTotals::from_workouts(counted.map(|index| &workouts[index].workout), plan.race_date)
    };
    let planned = of_week(&|graded| graded.verdict != Verdict::NotStarted);
    let Some(week) = followed.weeks.iter().find(|week| week.monday == monday) else {
        return planned.label(units).map(|label| format!(", planned: {label}")).unwrap_or_default();
    };
    let so_far = of_week(&|graded| graded.verdict.is_graded() && graded.excused.is_none());
    let begun = week.over || week.all_sports.done.count > 0 || week.all_sports.so_far.count > 0;
    let label = |amount: PlannedRunningTotals| amount.label(units).unwrap_or_else(|| "no running".to_owned());
    let mut parts = Vec::new();
    if begun && (planned != PlannedRunningTotals::default() || week.running.done.count > 0) {
        let ran = run_volume_label(&week.running.done, planned, units);
        let due = if week.over { planned } else { so_far };
        parts.push(match (distance_of_planned(&week.running.done, due, units), week.over) {
            (Some(ran), true) => ran,
            (Some(ran), false) => format!("{ran} due so far, {} planned for the week", label(planned)),
            (None, true) => format!("ran {ran}, planned {}", label(planned)),
            (None, false) => format!(
                "ran {ran} so far, planned so far {}, planned for the week {}",
                label(so_far),
                label(planned)
            ),
        });
    } else if !begun {
        parts.extend(planned.label(units).map(|label| format!("planned: {label}")));
    }
    let adherence = &week.adherence;
    parts.extend(adherence.percent.map(|percent| format!("adherence {percent}%")));
    if adherence.excused > 0 {
        parts.push(format!("{} excused", adherence.excused));
    }
    let all = &week.all_sports;
    let compared = |shown: &dyn Fn(&Volume) -> String| match (week.over, begun) {
        (true, _) => format!("{} (planned {})", shown(&all.done), shown(&all.planned)),
        (false, true) => format!("{} (planned so far {})", shown(&all.done), shown(&all.so_far)),
        (false, false) => shown(&all.planned),
    };
    let mut together = Vec::new();
    // Do not repeat the time of a week that is planned by time only.
    let is_repeated = !begun && !planned.has_distance() && planned.by_time == all.planned.duration;
    if all.planned.count > 0 && all.planned.without_duration == 0 && !is_repeated {
        together.push(compared(&|volume| volume.duration.format_hours_minutes()));
    }
    if all.planned.count > 0 && all.planned.without_load == 0 {
        together.push(format!("load {}", compared(&|volume| format!("{:.0}", volume.load))));
    }
    if !together.is_empty() {
        parts.push(format!("all sports {}", together.join(", ")));
    }
    match parts.first() {
        None => String::new(),
        Some(first) if first.starts_with("planned: ") => format!(", {}", parts.join("; ")),
        Some(_) => format!(": {}", parts.join("; ")),
    }
}

/// `28.9 of 34.5 km`; `None` unless both are only distances.
fn distance_of_planned(done: &Volume, planned: PlannedRunningTotals, units: UnitSystem) -> Option<String> {
    let by_distance = PlannedRunningTotals { distance: planned.distance, ..PlannedRunningTotals::default() };
    if planned != by_distance || planned.distance == Distance::ZERO || done.without_distance > 0 {
        return None;
    }
    let [ran, planned] =
        [done.distance, planned.distance].map(|distance| units.format_distance(distance).to_string());
    let ((ran, unit), (_, same)) = (ran.split_once(' ')?, planned.split_once(' ')?);
    (unit == same).then(|| format!("{ran} of {planned}"))
}

/// Distance or time, whichever the week was planned in.
fn run_volume_label(done: &Volume, planned: PlannedRunningTotals, units: UnitSystem) -> String {
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
            format!("{far} and {}", pluralize(some as u64, "run without distance", "runs without distance"))
        }
    }
}

fn workout_row(progress: &PlanAdherence, index: usize, units: UnitSystem, today: Day) -> [String; 5] {
    let PlannedWorkout { id, workout } = &progress.workouts[index];
    // A draft has no verdicts.
    let graded = progress.adherence.graded.get(index);
    let planned = workout.size_label(units).unwrap_or_default();
    let done = graded.and_then(|graded| graded.actual).map(|done| done.format(units));
    let size = done.map_or_else(|| planned.clone(), |done| format!("{done} of {planned}"));
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
        Verdict::NotStarted => "· before the plan",
        // Only for past days; a future day has no verdict.
        Verdict::Pending if graded.day < today => "◌ waiting for data",
        Verdict::Pending => "",
    };
    // Excused workouts look neutral, whatever the verdict.
    match graded.excused {
        Some(excuse) if graded.verdict.is_graded() => format!("· {excuse} ({})", graded.verdict),
        Some(excuse) => format!("{word} ({excuse})").trim_start().to_owned(),
        None => word.to_owned(),
    }
}

/// One line per note.
fn render_notes(progress: &PlanAdherence, index: usize, units: UnitSystem) -> String {
    let (id, followed) = (progress.workouts[index].id, &progress.adherence);
    let mut text = String::new();
    for note in followed.notes.iter().filter(|note| note.workout == id) {
        let activities: Vec<String> = note.activities.iter().map(ToString::to_string).collect();
        let activities = activities.join(", ");
        let line = match note.kind {
            WorkoutNoteKind::Over => {
                "over: more than 130% of the planned amount; avoid sudden increases (rule R1)".to_owned()
            }
            WorkoutNoteKind::RestDayRun => {
                format!("ran more than 30 minutes on a rest day (activity {activities})")
            }
            WorkoutNoteKind::Moved => match followed.offers.iter().find(|offer| offer.workout == id) {
                Some(offer) => match_suggestion_label(offer, units),
                None => format!("moved: done on another day (activity {activities})"),
            },
        };
        let _ = writeln!(text, "    {line}");
    }
    text
}

fn match_suggestion_label(offer: &MatchSuggestion, units: UnitSystem) -> String {
    let MatchSuggestion { workout, activity, done_day, done, .. } = offer;
    let size = done.map(|done| format!(", {}", done.format(units))).unwrap_or_default();
    format!(
        "moved? activity {activity} on {} {done_day}{size}: count it with `fitness plan match {workout} {activity}`, or \
         add --decline to reject it",
        done_day.weekday()
    )
}
