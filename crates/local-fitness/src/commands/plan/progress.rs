//! A plan with how it is followed, in words.

use crate::plural::counted;
use crate::table::table;
use fitness_core::adherence::grade::{Graded, Verdict};
use fitness_core::adherence::{Adherence, Both, NoteKind, Offer, Volume};
use fitness_core::domain::calendar::Day;
use fitness_core::domain::note::Author;
use fitness_core::domain::units::{TimeSpan, UnitSystem};
use fitness_core::domain::untrusted_text::visible;
use fitness_core::plan::{Asked, Plan, PlanStatus, PlannedWorkout};
use fitness_store::Progress;
use std::fmt::Write as _;

/// A plan with its verdicts and notes, week by week.
pub(super) fn tell(progress: &Progress, author: Option<Author>, units: UnitSystem, today: Day) -> String {
    let Progress { plan, workouts, frontier, followed, .. } = progress;
    let mut text = describe(plan, author, workouts, units);
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
    let rows: Vec<_> = (0..workouts.len()).map(|index| row(progress, index, units, today)).collect();
    let mut week = None;
    for (index, line) in table([""; 5], &rows).lines().skip(1).enumerate() {
        let this = workouts[index].workout.date.iso_week();
        if week.replace(this) != Some(this) {
            let _ = writeln!(text, "\n{this}{}", week_line(progress, this.monday(), units));
        }
        let _ = writeln!(text, "{line}");
        text.push_str(&notes(progress, index, units));
    }
    text
}

/// What a plan is, in two lines.
fn describe(plan: &Plan, author: Option<Author>, workouts: &[PlannedWorkout], units: UnitSystem) -> String {
    let target = plan.target_time.map(|time| format!(" in {}", time.clock())).unwrap_or_default();
    let asked = Asked::of(workouts.iter().map(|planned| &planned.workout), plan.race_date);
    let asked = asked.told(units).map(|told| format!(": {told}")).unwrap_or_default();
    let training = workouts.iter().filter(|w| !w.workout.is_rest()).count();
    format!(
        "Plan {}, {} ({}){}\n{}{target}; {} from {}{asked}\n",
        plan.id,
        visible(&plan.name),
        plan.status,
        super::words_of(author),
        plan.aim(units),
        counted(training as u64, "workout", "workouts"),
        begun(plan),
    )
}

/// From when the plan counts: `2026-06-15`, and when it was begun where that was later.
fn begun(plan: &Plan) -> String {
    match plan.begun_on.filter(|begun| *begun > plan.start_date) {
        Some(begun) => format!("{}, begun on {begun}", plan.start_date),
        None => plan.start_date.to_string(),
    }
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
        let _ = writeln!(text, "left out: {} {why}", counted(count as u64, "workout", "workouts"));
    }
    text
}

/// What was planned in a week and what was done: running by distance, or by time where none is known; then everything by
/// time and load.
fn week_line(progress: &Progress, monday: Day, units: UnitSystem) -> String {
    let Progress { plan, workouts, followed, .. } = progress;
    let within = |index: &usize| workouts[*index].workout.date.iso_week().monday() == monday;
    let of_week = |counts: &dyn Fn(&Graded) -> bool| {
        // A draft has no verdicts, and all of it is planned.
        let indexes = (0..workouts.len()).filter(within);
        let counted = indexes.filter(|index| followed.graded.get(*index).is_none_or(counts));
        Asked::of(counted.map(|index| &workouts[index].workout), plan.race_date)
    };
    let planned = of_week(&|graded| graded.verdict != Verdict::NotStarted);
    let Some(week) = followed.weeks.iter().find(|week| week.monday == monday) else {
        return planned.told(units).map(|told| format!("  planned: {told}")).unwrap_or_default();
    };
    let so_far = of_week(&|graded| graded.verdict.is_judged() && graded.excused.is_none());
    let begun = week.over || week.all_sports.done.count > 0 || week.all_sports.so_far.count > 0;
    let told = |asked: Asked| asked.told(units).unwrap_or_else(|| "no running".to_owned());
    let mut parts = Vec::new();
    if begun && (planned != Asked::default() || week.running.done.count > 0) {
        let ran = run(&week.running.done, planned, units);
        parts.push(if week.over {
            format!("ran {ran}, planned {}", told(planned))
        } else {
            format!("ran {ran} so far, planned by now {}, in the week {}", told(so_far), told(planned))
        });
    } else if !begun {
        parts.extend(planned.told(units).map(|told| format!("planned: {told}")));
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
        together.push(compared(&|volume| volume.duration.hours_minutes()));
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
fn run(done: &Volume, planned: Asked, units: UnitSystem) -> String {
    if planned.by_time > TimeSpan::ZERO && !planned.has_distance() {
        return done.duration.hours_minutes();
    }
    let far = units.distance(done.distance).to_string();
    let far = if planned.by_time > TimeSpan::ZERO {
        format!("{far} in {}", done.duration.hours_minutes())
    } else {
        far
    };
    match done.without_distance {
        0 => far,
        some => {
            format!("{far} and {}", counted(some as u64, "run of unknown length", "runs of unknown length"))
        }
    }
}

fn row(progress: &Progress, index: usize, units: UnitSystem, today: Day) -> [String; 5] {
    let PlannedWorkout { id, workout } = &progress.workouts[index];
    // A draft has no verdicts.
    let graded = progress.followed.graded.get(index);
    let asked = workout.size(units).unwrap_or_default();
    let done = graded.and_then(|graded| graded.actual).map(|done| done.shown(units));
    let size = done.map_or_else(|| asked.clone(), |done| format!("{done} of {asked}"));
    let key = if workout.key { " (key)" } else { "" };
    [
        id.to_string(),
        format!("{} {}", workout.date.weekday(), workout.date),
        graded.map(|graded| verdict(graded, today)).unwrap_or_default(),
        size,
        format!("{}{key}", visible(workout.name_beside_size(units))),
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
    let size = done.map(|done| format!(", {}", done.shown(units))).unwrap_or_default();
    format!(
        "moved? activity {activity} on {} {done_day}{size}: `fitness plan match {workout} {activity}` counts it, with \
         --decline it is not asked again",
        done_day.weekday()
    )
}
