//! A plan with how it is followed, in words.

use super::describe;
use crate::table::table;
use crate::words::counted;
use fitness_core::adherence::{Adherence, Both, NoteKind, Offer, Versus, Volume, WeekProgress};
use fitness_core::calendar::Day;
use fitness_core::grading::{Amount, Graded, Verdict};
use fitness_core::plan::{PlanStatus, PlannedWorkout};
use fitness_core::text::visible;
use fitness_core::units::{TimeSpan, UnitSystem};
use fitness_store::Progress;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// A plan with its verdicts and notes, week by week.
pub(super) fn tell(progress: &Progress, units: UnitSystem, today: Day) -> String {
    let Progress { plan, workouts, frontier, followed, .. } = progress;
    let mut text = describe(plan, workouts, units);
    if plan.status != PlanStatus::Draft {
        let data = match (frontier.complete(), frontier.open()) {
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
    let weeks: BTreeMap<_, &WeekProgress> = followed.weeks.iter().map(|week| (week.week, week)).collect();
    let rows: Vec<_> = (0..workouts.len()).map(|index| row(progress, index, units, today)).collect();
    let mut week = None;
    for (index, line) in table([""; 5], &rows).lines().skip(1).enumerate() {
        let this = workouts[index].workout.date.iso_week();
        if week.replace(this) != Some(this) {
            let told = weeks.get(&this).map(|week| week_line(week, units)).unwrap_or_default();
            let _ = writeln!(text, "\n{this}{told}");
        }
        let _ = writeln!(text, "{line}");
        text.push_str(&notes(progress, index, units));
    }
    text
}

/// One workout with its verdict and notes.
pub(super) fn tell_workout(progress: &Progress, index: usize, units: UnitSystem, today: Day) -> String {
    let line = table([""; 5], &[row(progress, index, units, today)]);
    format!("{}\n{}", line.lines().skip(1).collect::<String>(), notes(progress, index, units))
}

/// How much of what was asked was done, against the plan as it is and as it was committed.
fn adherence_lines(all: &Both, key: &Both, revision: i64) -> String {
    let mut text = String::new();
    for (label, both) in [("adherence", all), ("key sessions", key)] {
        let Adherence { percent: Some(percent), counted: count, weighed_by, .. } = both.current else {
            continue;
        };
        let by = weighed_by.map(|by| format!(", weighed by {by}")).unwrap_or_default();
        let workouts = counted(count as u64, "workout", "workouts");
        let committed = match both.original.percent {
            Some(original) if revision > 1 => format!("; {original} % of the plan you committed to"),
            _ => String::new(),
        };
        let _ = writeln!(text, "{label} {percent} % over {workouts}{by}{committed}");
    }
    let left_out = [
        (all.current.excused, "on days you were ill, injured or away"),
        (all.current.unmeasured, "of which it is not known how much was done"),
    ];
    for (count, why) in left_out.into_iter().filter(|(count, _)| *count > 0) {
        let _ = writeln!(text, "left out: {} {why}", counted(count as u64, "workout", "workouts"));
    }
    text
}

/// What was planned in a week and what was done: running by distance, everything by time and load.
fn week_line(week: &WeekProgress, units: UnitSystem) -> String {
    let mut parts = Vec::new();
    let Versus { planned, .. } = week.running;
    if planned.count > planned.without_distance {
        parts.push(compared(week, &week.running, " of running", &|volume| {
            units.distance(volume.distance).to_string()
        }));
    }
    let Versus { planned, .. } = week.all_sports;
    if planned.count > 0 && planned.without_duration == 0 {
        parts.push(compared(week, &week.all_sports, "", &|volume| volume.duration.hours_minutes()));
    }
    if planned.count > 0 && planned.without_load == 0 {
        let load = compared(week, &week.all_sports, "", &|volume| format!("{:.0}", volume.load));
        parts.push(format!("load {load}"));
    }
    let adherence = &week.adherence;
    parts.extend(adherence.percent.map(|percent| format!("{percent} % done")));
    if adherence.excused > 0 {
        parts.push(format!("{} excused", adherence.excused));
    }
    if parts.is_empty() { String::new() } else { format!("  {}", parts.join("; ")) }
}

/// A week that is over against all of it, one that is under way against what was asked so far.
fn compared(week: &WeekProgress, versus: &Versus, what: &str, shown: &dyn Fn(&Volume) -> String) -> String {
    let Versus { planned, so_far, done } = versus;
    if week.over {
        format!("{} of {}{what}", shown(done), shown(planned))
    } else if done.count == 0 && so_far.count == 0 {
        format!("{}{what} planned", shown(planned))
    } else {
        format!("{} of {}{what} so far, {} planned", shown(done), shown(so_far), shown(planned))
    }
}

fn row(progress: &Progress, index: usize, units: UnitSystem, today: Day) -> [String; 5] {
    let PlannedWorkout { id, workout } = &progress.workouts[index];
    // A draft has no verdicts.
    let graded = progress.followed.graded.get(index);
    let asked = workout
        .distance
        .map(|distance| units.distance(distance).to_string())
        .or_else(|| workout.duration.map(TimeSpan::hours_minutes))
        .or_else(|| workout.load.map(|load| format!("load {load:.0}")))
        .unwrap_or_default();
    let done = graded.and_then(|graded| graded.actual).map(|done| amount(done, units));
    let size = done.map_or_else(|| asked.clone(), |done| format!("{done} of {asked}"));
    let key = if workout.key { " (key)" } else { "" };
    [
        id.to_string(),
        format!("{} {}", workout.date.weekday(), workout.date),
        graded.map(|graded| verdict(graded, today)).unwrap_or_default(),
        size,
        format!("{}{key}", visible(&workout.name)),
    ]
}

fn verdict(graded: &Graded, today: Day) -> String {
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
        Some(excuse) if graded.verdict.is_judged() => format!("· {excuse} ({})", graded.verdict),
        Some(excuse) => format!("{word} ({excuse})").trim_start().to_owned(),
        None => word.to_owned(),
    }
}

fn amount(amount: Amount, units: UnitSystem) -> String {
    match amount {
        Amount::Distance(distance) => units.distance(distance).to_string(),
        Amount::Duration(time) => time.hours_minutes(),
        Amount::Load(thousandths) => format!("load {:.0}", thousandths as f64 / 1000.0),
    }
}

/// What no verdict says about a workout, a line each.
fn notes(progress: &Progress, index: usize, units: UnitSystem) -> String {
    let (id, followed) = (progress.workouts[index].id, &progress.followed);
    let mut text = String::new();
    for note in followed.notes.iter().filter(|note| note.workout == id) {
        let activities: Vec<String> = note.activities.iter().map(ToString::to_string).collect();
        let activities = activities.join(", ");
        let told = match note.kind {
            NoteKind::Over => {
                "over: more than 130 % of what was asked; sudden steps are what hurts (rule R1)".to_owned()
            }
            NoteKind::RestDayRun => {
                format!("ran more than half an hour on a rest day (activity {activities})")
            }
            NoteKind::Moved => match followed.offers.iter().find(|offer| offer.workout == id) {
                Some(offer) => offered(offer, units),
                None => format!("moved: done on another day (activity {activities})"),
            },
        };
        let _ = writeln!(text, "    {told}");
    }
    text
}

fn offered(offer: &Offer, units: UnitSystem) -> String {
    let Offer { workout, activity, done_day, done, .. } = offer;
    let size = done.map(|done| format!(", {}", amount(done, units))).unwrap_or_default();
    format!(
        "moved? activity {activity} on {} {done_day}{size}: `fitness plan match {workout} {activity}` counts it, with \
         --decline it is not asked again",
        done_day.weekday()
    )
}
