//! Plan export as Markdown: a table for every week.

use super::PlanExport;
use super::steps::describe_extra_steps;
use crate::domain::calendar::Day;
use crate::domain::units::{TimeSpan, UnitSystem};
use crate::domain::untrusted_text::escape_invisible;
use crate::plan::{PlannedRunningTotals, PlannedWorkout, Workout};
use std::fmt::Write as _;

/// The plan to read, print and share. All names are escaped.
#[must_use]
pub fn markdown(exported: PlanExport<'_>, units: UnitSystem) -> String {
    let PlanExport { plan, workouts, author } = exported;
    let target =
        plan.target_time.map(|time| format!(", goal time {}", time.format_clock())).unwrap_or_default();
    let mut text = format!(
        "# {}\n\n{}{target}. Starts {}, revision {}.\n",
        escape_markdown(&plan.name),
        plan.describe_goal(units),
        plan.start_date,
        plan.revision,
    );
    if let Some(label) = plan.text_label(author) {
        let _ = writeln!(text, "\nNames and descriptions are {label}.");
    }
    for week in workouts.chunk_by(|a, b| week_of(a) == week_of(b)) {
        let monday = week_of(&week[0]);
        let asked = PlannedRunningTotals::from_workouts(week.iter().map(|w| &w.workout), plan.race_date);
        let time: TimeSpan = week.iter().filter_map(|w| w.workout.duration).sum();
        let amounts = [
            // If everything is by time, the total time below is enough.
            asked.label(units).filter(|_| asked.has_distance()),
            (time > TimeSpan::ZERO).then(|| time.format_hours_minutes()),
        ];
        let amounts: Vec<String> = amounts.into_iter().flatten().collect();
        let _ = writeln!(text, "\n## Week of {monday}\n");
        let _ = writeln!(text, "| day | workout | distance | time | load | details |");
        let _ = writeln!(text, "|---|---|--:|--:|--:|---|");
        for planned in week {
            let _ = writeln!(text, "{}", row(&planned.workout, units));
        }
        if !amounts.is_empty() {
            let _ = writeln!(text, "\nTotal: {}.", amounts.join(", "));
        }
    }
    text
}

fn week_of(planned: &PlannedWorkout) -> Day {
    planned.workout.date.iso_week().monday()
}

fn row(workout: &Workout, units: UnitSystem) -> String {
    let key = if workout.key { " (key)" } else { "" };
    let mut words: Vec<String> = [&workout.intensity, &workout.description]
        .into_iter()
        .flatten()
        .map(|words| words.trim().trim_end_matches('.').to_owned())
        .filter(|words| !words.is_empty())
        .collect();
    words.extend(describe_extra_steps(workout, units));
    let cells = [
        format!("{} {}", workout.date.weekday(), workout.date),
        format!("{}{key}", escape_markdown(workout.name_without_size(units))),
        workout.distance.map(|distance| units.format_distance(distance).to_string()).unwrap_or_default(),
        workout.duration.map(TimeSpan::format_clock).unwrap_or_default(),
        workout.load.map(|load| format!("{load:.0}")).unwrap_or_default(),
        escape_markdown(&words.join("; ")),
    ];
    format!("| {} |", cells.join(" | "))
}

/// Escapes untrusted text: one line, no Markdown, HTML or automatic links.
fn escape_markdown(text: &str) -> String {
    let lines: Vec<&str> = text.split(['\n', '\r']).map(str::trim).filter(|line| !line.is_empty()).collect();
    let text = escape_invisible(&lines.join(" ")).to_string();
    let mut out = String::with_capacity(text.len());
    let mut before = ' ';
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '#' | '|' | '~' | '!' | '$' | '@' => {
                out.extend(['\\', c]);
            }
            ':' if chars.peek() == Some(&'/') => out.push_str("\\:"),
            '.' if before.eq_ignore_ascii_case(&'w') => out.push_str("\\."),
            c => out.push(c),
        }
        before = c;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::escape_markdown;

    #[test]
    fn untrusted_text_is_escaped() {
        for (text, expected) in [
            ("Easy run, 5.5 km (10:30)", "Easy run, 5.5 km (10:30)"),
            ("a|b", "a\\|b"),
            ("`rm -rf`", "\\`rm -rf\\`"),
            ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
            ("&lt;b&gt;", "&amp;lt;b&amp;gt;"),
            ("**bold** _it_ ~no~", "\\*\\*bold\\*\\* \\_it\\_ \\~no\\~"),
            ("![x](https://e.test/y)", "\\!\\[x\\](https\\://e.test/y)"),
            ("www.e.test a@b.test", "www\\.e.test a\\@b.test"),
            ("two\r\nlines\n\n| x |", "two lines \\| x \\|"),
            ("back\\|slash", "back\\\\\\|slash"),
            ("\u{1b}[31m", "&lt;U+001B&gt;\\[31m"),
        ] {
            assert_eq!(escape_markdown(text), expected);
        }
    }
}
