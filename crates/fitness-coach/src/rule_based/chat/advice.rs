//! What it says beside the plan: whether to train, when a doctor is needed, and what it does not do.

use super::plan_change::spoken;
use super::replies::{fact, list, planned_on, session, text};
use fitness_core::domain::calendar::Day;
use fitness_core::plan::HumanActionKind;
use serde_json::Value;
use std::fmt::Write as _;

/// Said whatever else is said: nobody trains with these.
pub(super) const ALARM: &str = "Stop training, and see a doctor before the next session. If it is there now, comes at rest, or gets worse, \
call the emergency number. I am a program and cannot tell what it is.";

/// The same, with what was written down of it.
pub(super) fn alarm(answer: Option<&Value>) -> String {
    match answer.and_then(|answer| text(answer, "review")) {
        Some(review) => format!(
            "{ALARM}\nI have written it down as a suggestion, it counts for nothing until you accept it: {review}"
        ),
        None => ALARM.to_owned(),
    }
}

/// Whether to train: what is planned, what is known, and that it is the athlete's word that counts.
pub(super) fn should(progress: &Value, snapshot: &Value, days: &[Day]) -> String {
    let mut said = String::new();
    for (at, day) in days.iter().enumerate() {
        let names: Vec<String> = planned_on(progress, *day).map(session).collect();
        said.push_str(if at == 0 { "" } else { " " });
        let _ = match names.as_slice() {
            [] => write!(said, "Nothing is planned for {}.", spoken(*day)),
            names => write!(said, "{} has {}.", spoken(*day), names.join(" and ")),
        };
    }
    if days.iter().all(|day| planned_on(progress, *day).next().is_none()) {
        return format!("{said} So there is nothing to take out.");
    }
    if let (Some(score), Some(band)) = (fact(snapshot, "recovery"), fact(snapshot, "recovery_band")) {
        let _ = write!(said, " Recovery is {score} this morning ({band}).");
    }
    if let (Some(form), Some(band)) = (fact(snapshot, "form"), fact(snapshot, "form_band")) {
        let _ = write!(said, " Your form is {form} ({band}).");
    }
    match own_word(progress, snapshot, days) {
        Some(word) => {
            let _ = write!(said, " {word}");
        }
        None => said.push_str(
            " Numbers of a watch alone are no reason: how you feel is. With a fever, or pain that changes how you run, leave \
             it; tired legs mostly wake up on the way.",
        ),
    }
    let with = if days.len() == 1 { "" } else { " with the day" };
    let _ = write!(
        said,
        " Say \"skip it\" or \"make it easier\"{with}, and I prepare a proposal for you to decide about."
    );
    said
}

/// What the athlete said of themselves for these days. It goes before any number.
fn own_word(progress: &Value, snapshot: &Value, days: &[Day]) -> Option<&'static str> {
    let marked = |kind: &str| list(snapshot, "marked").iter().find(|one| text(one, "kind") == Some(kind));
    let excused = |why: &str| {
        days.iter().any(|day| planned_on(progress, *day).any(|one| text(one, "excused") == Some(why)))
    };
    let value = |kind: &str| marked(kind).and_then(|one| one.get("value")).and_then(Value::as_u64);
    if marked("illness").is_some() || excused("ill") {
        return Some(match value("illness") {
            Some(1) => {
                "You marked that you are ill: above the neck you may walk or run easy, and nothing more. Leave it when you \
                 feel worse on the way."
            }
            _ => {
                "You marked that you are ill, so leave it and get well first: with a fever, the chest or the stomach you rest \
                 until a day after it has gone."
            }
        });
    }
    if marked("injury").is_some() || excused("injured") {
        return Some(
            "You marked that you are hurt, so leave it: pain that changes how you run gets worse by running.",
        );
    }
    if value("mood").is_some_and(|mood| mood <= 2) {
        return Some(
            "You said that you feel bad today, and that counts for more than any watch: less is right today.",
        );
    }
    excused("away").then_some("You marked that you are away, so nothing is asked of you.")
}

/// Only the athlete does that, and where.
pub(super) fn decide() -> String {
    let (take, adopt) = (HumanActionKind::Activate.as_str(), HumanActionKind::Apply.as_str());
    format!(
        "Only you do that, and I cannot do it for you. On the page of the plan or of the proposal there is a button for it; at \
         the terminal it is `fitness plan {take}` for a draft and `fitness plan proposal {adopt}` for a proposal, each with \
         its number."
    )
}

/// A change of another kind.
pub(super) fn beyond() -> String {
    let by_hand = HumanActionKind::Edit.as_str();
    format!(
        "I cannot do that: I only make sessions easier or shorter, or take them out, as a proposal. To move, swap or add \
         sessions, or to make them longer, change the plan yourself on its page or with `fitness plan {by_hand}`; or choose a \
         model in the settings and ask it. Nothing was changed."
    )
}

pub(super) fn away(answer: &Value) -> String {
    let review = text(answer, "review").unwrap_or_default();
    format!(
        "I have written down as a suggestion that you are away; it counts for nothing until you accept it: {review}\n\
         When you do, the days turn neutral and are left out of adherence."
    )
}

/// A metric, day by day, as it was told.
pub(super) fn metric(answer: &Value, called: &str) -> String {
    let unit = text(answer, "unit").unwrap_or_default();
    let points = list(answer, "points").iter().filter_map(|point| {
        let day: Day = point.get(0)?.as_str()?.parse().ok()?;
        Some((day, point.get(1)?.as_f64()?))
    });
    let lines: Vec<String> = points.map(|(day, value)| format!("{}: {value} {unit}", spoken(day))).collect();
    match lines.as_slice() {
        [] => format!("There is no data on your {called} of then."),
        [one] => format!("Your {called} on {}.", one.trim_end()),
        many => format!("Your {called}:\n- {}", many.join("\n- ")),
    }
}
