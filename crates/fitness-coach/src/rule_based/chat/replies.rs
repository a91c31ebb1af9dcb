//! What the built-in coach says. Every number it says is one that a tool answered.

use super::plan_change::{Because, spoken};
use super::{Doubt, NotNow};
use fitness_core::coach_api::{CoachApiError, TOO_MANY_PENDING};
use fitness_core::domain::calendar::Day;
use serde_json::Value;
use std::fmt::Write as _;

/// Who speaks, before the first answer of a conversation.
pub(super) const WHO: &str = "I am the built-in coach: rules, no language model.";

pub(super) const HELP: &str = "I am the built-in coach: rules, no language model. I can answer these:\n\
- What is on today? And on Thursday?\n\
- What is this week? How was last week?\n\
- Why this session?\n\
- How is my form?\n\
- What could I run over a half?\n\
- What if I am ill? I am ill. I feel tired.\n\
- Make Thursday easier. Skip Friday and Saturday.\n\
- Draft a half marathon plan, with its day and the time you hope for.\n\
For free conversation, choose a model in the settings.";

pub(super) const IF_UNWELL: &str = "If you are ill or hurt, say so with its days: \"I am ill\" here, or mark the days yourself. \
Marked days turn neutral and are left out of adherence. I then draft a proposal that eases the days after, by how bad it is: \
above the neck you may walk or run easy, with a fever, the chest or the stomach you rest until a day after it has gone. \
Nothing in your plan changes until you decide.";

pub(super) const KEEP: &str = "Then it stays as it is. Nothing was proposed and nothing was changed.";

pub(super) const fn not_unwell(instead: NotNow) -> &'static str {
    match instead {
        NotNow::Denied => "Good to hear. I wrote nothing down.",
        NotNow::SomebodyElse => {
            "I am sorry to hear it. I keep track of you alone, so I wrote nothing down. \
             If it keeps you from training, say \"skip tomorrow\", or mark the days as away."
        }
        NotNow::Past => {
            "Good that it is over. I wrote nothing down: days that are past you mark yourself, and they turn neutral. \
             If it is not over, say \"I am ill\"."
        }
    }
}

pub(super) const OVER: &str =
    "That day is over, and what is over is not changed. Say which day to come you mean.";

/// A weekday's name. A date would be a number that nobody told.
fn long_name(day: Day) -> &'static str {
    match day.weekday().to_string().as_str() {
        "Mon" => "Monday",
        "Tue" => "Tuesday",
        "Wed" => "Wednesday",
        "Thu" => "Thursday",
        "Fri" => "Friday",
        "Sat" => "Saturday",
        _ => "Sunday",
    }
}

/// Which day is meant is the athlete's to say.
pub(super) fn unsure(doubt: Doubt) -> String {
    match doubt {
        Doubt::OneOf(one, other) => {
            let week = |day: Day| day.iso_week().monday();
            let (one, other) = if one.weekday() == other.weekday() && week(one) != week(other) {
                (format!("the coming {}", long_name(one)), "the one a week later".to_owned())
            } else {
                (long_name(one).to_owned(), long_name(other).to_owned())
            };
            format!("Do you mean {one} or {other}? Say it again with the date, and I do it.")
        }
        Doubt::NotDays => "I am not sure which days you mean, so I did nothing. I understand single days, days from one to \
                           another, and this, last or next week: \"skip Wednesday and Thursday\", \"make next week easier\"."
            .to_owned(),
        Doubt::NoDay => {
            "Say which day you mean, by its name or its date, and I prepare it: \"skip Sunday\", \"make Thursday easier\"."
                .to_owned()
        }
    }
}

/// Tired, and nothing in the plan to ease.
pub(super) fn nothing_to_ease(sentence: &str) -> String {
    format!(
        "Thank you for saying so. {sentence} Sleep does more than I can. If it is an illness, say \"I am ill\"."
    )
}

/// What a day asks, without days of rest.
pub(super) fn planned_on(progress: &Value, day: Day) -> impl Iterator<Item = &Value> {
    let on_it =
        move |workout: &&Value| text(workout, "sport") != Some("rest") && workout["date"] == day.to_string();
    list(progress, "workouts").iter().filter(on_it)
}

/// What a tool refused. What is said to a model is said otherwise to the athlete.
pub(super) fn refused(why: &str) -> String {
    if why.contains(TOO_MANY_PENDING) {
        return "As much waits for you as may wait at once. Look through that first; I prepare more when you have decided \
                about some of it."
            .to_owned();
    }
    if why == CoachApiError::Internal.to_string() {
        return "I could not look that up just now. Try again in a while.".to_owned();
    }
    format!("That did not work: {why}")
}

pub(super) fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key).and_then(Value::as_str)
}

pub(super) fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// What a fact is shown as.
pub(super) fn fact<'a>(answer: &'a Value, id: &str) -> Option<&'a str> {
    answer.get("facts")?.get(id)?.get("shown")?.as_str()
}

pub(super) fn session(workout: &Value) -> String {
    let name = text(workout, "name").unwrap_or("a session");
    match text(workout, "planned") {
        Some(planned) => format!("{name}, {planned}"),
        None => name.to_owned(),
    }
}

/// What became of a session, seen from today.
fn state(workout: &Value, today: Day) -> String {
    let ahead = match text(workout, "date").and_then(|date| date.parse::<Day>().ok()) {
        Some(day) if day > today => "ahead",
        Some(day) if day < today => "its data has not arrived",
        _ => "still ahead, or its data has not arrived",
    };
    let verdict = match text(workout, "verdict") {
        Some("hit") => "done",
        Some("short") => "done in part",
        Some("missed") => "missed",
        Some("rest") => "rest",
        Some("not_started") => "before the plan starts",
        _ => ahead,
    };
    match (text(workout, "actual"), text(workout, "excused")) {
        // What is excused is waited for by nobody.
        (None, Some(why)) if verdict == ahead => format!("excused, {}", excuse(why)),
        (_, Some(why)) => format!("{verdict}, excused: {}", excuse(why)),
        (Some(actual), None) => format!("{verdict}: {actual}"),
        (None, None) => verdict.to_owned(),
    }
}

/// What the athlete marked, as it is said to them.
fn excuse(why: &str) -> &str {
    match why {
        "ill" => "you marked it as ill",
        "injured" => "you marked it as injured",
        "away" => "you marked it as away",
        why => why,
    }
}

fn waiting(answer: &Value) -> String {
    let reviews: Vec<&str> = list(answer, "waiting").iter().filter_map(|one| text(one, "review")).collect();
    match reviews.as_slice() {
        [] => String::new(),
        [one] => format!("\nA proposal waits for you: {one}"),
        many => format!("\nProposals wait for you:\n- {}", many.join("\n- ")),
    }
}

pub(super) fn today(answer: &Value, today: Day) -> String {
    let mut said = String::new();
    let sessions = list(answer, "sessions");
    if sessions.is_empty() {
        said.push_str("Nothing is planned for today.");
    }
    for workout in sessions {
        let _ = write!(said, "Today: {} ({}). ", session(workout), state(workout, today));
    }
    for workout in list(answer, "last_judged") {
        let day = text(workout, "weekday").unwrap_or("Before");
        let _ = write!(said, "\n{day}: {} was {}.", session(workout), state(workout, today));
    }
    match (fact(answer, "recovery"), fact(answer, "recovery_band")) {
        (Some(score), Some(band)) => {
            let _ = write!(said, "\nRecovery is {score} ({band}).");
        }
        _ => said.push_str("\nRecovery is not known this morning."),
    }
    match (fact(answer, "sleep_last_night"), fact(answer, "sleep_usual")) {
        (Some(night), Some(usual)) => {
            let _ = write!(said, " You slept {night}; usual is {usual}.");
        }
        (Some(night), None) => {
            let _ = write!(said, " You slept {night}.");
        }
        _ => said.push_str(" Last night's sleep has not arrived."),
    }
    said.push_str(&waiting(answer));
    said
}

const NO_PLAN: &str =
    "There is no active plan. Ask me to draft one: say the race, its day and the time you hope for.";

pub(super) fn week(answer: &Value, monday: Day, today: Day) -> String {
    if answer.get("plan").is_none() {
        return NO_PLAN.to_owned();
    }
    let which = match today.iso_week().monday().days_until(monday) {
        0 => "this week".to_owned(),
        7 => "next week".to_owned(),
        -7 => "last week".to_owned(),
        _ => format!("the week of {monday}"),
    };
    let workouts = list(answer, "workouts");
    if workouts.is_empty() {
        return format!("Nothing is planned for {which}.");
    }
    let mut said = format!("{}{}:", which[..1].to_uppercase(), &which[1..]);
    for workout in workouts {
        let day = text(workout, "weekday").unwrap_or_default();
        if text(workout, "sport") == Some("rest") {
            let _ = write!(said, "\n- {day}: rest");
        } else {
            let _ = write!(said, "\n- {day}: {} ({})", session(workout), state(workout, today));
        }
    }
    // The plan's own figure is about all of it, and no week's.
    if let Some(percent) = answer.get("adherence_percent").and_then(Value::as_u64) {
        let _ = write!(said, "\nIn the whole plan so far, {percent} % of what was asked was done.");
    }
    said.push_str(&waiting(answer));
    said
}

/// Some days, each with what it asks and what became of it.
pub(super) fn days(answer: &Value, days: &[Day], today: Day) -> String {
    if answer.get("plan").is_none() {
        return NO_PLAN.to_owned();
    }
    let lines = days.iter().map(|day| {
        let sessions: Vec<String> = planned_on(answer, *day)
            .map(|workout| format!("{} ({})", session(workout), state(workout, today)))
            .collect();
        match sessions.as_slice() {
            [] => format!("{}: nothing is planned.", spoken(*day)),
            sessions => format!("{}: {}.", spoken(*day), sessions.join(" and ")),
        }
    });
    lines.collect::<Vec<_>>().join("\n") + &waiting(answer)
}

pub(super) fn why(answer: &Value) -> String {
    let Some(workout) = list(answer, "sessions").first() else {
        return "Nothing is planned for today, so there is nothing to explain. Ask about this week."
            .to_owned();
    };
    let mut said = format!("Today is {}. {}", session(workout), purpose(workout));
    if let (Some(form), Some(band)) = (fact(answer, "form"), fact(answer, "form_band")) {
        let _ = write!(said, " Your form is {form} ({band}).");
    }
    said
}

/// The same for another day, and what became of it where it is over.
pub(super) fn why_on(answer: &Value, day: Day, today: Day) -> String {
    let Some(workout) = planned_on(answer, day).next() else {
        return format!(
            "Nothing is planned for {}, so there is nothing to explain. Ask about this week.",
            spoken(day)
        );
    };
    if day >= today {
        return format!("{} is {}. {}", spoken(day), session(workout), purpose(workout));
    }
    let became = match (text(workout, "verdict"), text(workout, "actual")) {
        (Some("missed"), None) => "It is a miss because nothing was recorded that counts for it.".to_owned(),
        (Some("missed"), Some(actual)) => {
            format!("It is a miss because too little of it was done: {actual}.")
        }
        (Some("short"), Some(actual)) => format!("It is short because a part of it was done: {actual}."),
        (Some("hit"), Some(actual)) => format!("It counts as done: {actual}."),
        _ => format!("It is {}.", state(workout, today)),
    };
    let excused = text(workout, "excused")
        .map(|why| format!(" It is excused ({why}), so it does not count against you."));
    format!("{} was {}. {became}{}", spoken(day), session(workout), excused.unwrap_or_default())
}

/// What a session is for.
fn purpose(workout: &Value) -> &'static str {
    match text(workout, "kind") {
        Some("easy" | "recovery") => {
            "Easy running builds the base everything else stands on, at a cost you recover from by tomorrow."
        }
        Some("long") => {
            "The long run teaches you to last: it is the one session of the week that race day resembles most."
        }
        Some("tempo") => "Running near threshold moves up the pace you can hold for an hour.",
        Some("intervals") => {
            "Short hard repeats raise the ceiling; the pauses are what lets you run them well."
        }
        Some("strides") => "Strides keep the legs quick without making them tired.",
        Some("hills") => "Hills make strength at a pace that spares the legs.",
        Some("race_pace") => "Race pace should feel familiar before race day; this is where it becomes so.",
        Some("race") => "It is the day the plan was for.",
        Some("rest") => "Rest is when training turns into fitness.",
        Some("strength") => "Strength keeps you whole when the running grows.",
        Some("cross_training") => "Another sport adds to your engine without adding to the impact.",
        _ => "It has its place in the week between the harder days.",
    }
}

pub(super) fn form(answer: &Value, of_another_day: bool) -> String {
    let mut said = match (fact(answer, "form"), fact(answer, "form_band")) {
        (Some(form), Some(band)) => format!("Your form is {form}: {band}."),
        (Some(form), None) => {
            format!("Your form is {form}; it takes some more weeks of data to say what that means for you.")
        }
        _ => return "Form is not known yet: it takes a complete day of data.".to_owned(),
    };
    if let (Some(fitness), Some(fatigue)) = (fact(answer, "fitness"), fact(answer, "fatigue")) {
        let _ = write!(
            said,
            " That is a fitness of {fitness} less a fatigue of {fatigue}: what you have built, less what you carry."
        );
    }
    if let Some(ramp) = fact(answer, "ramp") {
        let _ = write!(said, " Fitness has moved by {ramp} over the last seven days.");
    }
    if of_another_day {
        said.push_str(
            " That is today; of other days I cannot tell it here, but the page of trends shows them.",
        );
    }
    said
}

pub(super) fn prediction(answer: &Value) -> String {
    let distance = text(answer, "distance").unwrap_or("the race");
    let basis = text(answer, "basis").unwrap_or_default();
    match (text(answer, "finish"), text(answer, "fast"), text(answer, "slow")) {
        (Some(finish), Some(fast), Some(slow)) => format!(
            "Over {distance}, if raced today: {finish}. Most would finish between {fast} and {slow}. It rests on {basis}."
        ),
        _ => format!(
            "I cannot predict {distance} yet ({basis}). A race or a hard time trial gives me something to go by."
        ),
    }
}

pub(super) fn unwell(answer: &Value) -> String {
    let review = text(answer, "review").unwrap_or_default();
    format!(
        "Sorry to hear it. I have written that down as a suggestion, it counts for nothing until you accept it: {review}\n\
         When you do, the days turn neutral and I draft a proposal for the days after. {}",
        "See a doctor when it is the chest, a fever that lasts, or pain that changes how you walk."
    )
}

pub(super) fn drafted(answer: &Value, replaces: bool) -> String {
    let review = text(answer, "review").unwrap_or_default();
    let mut said = format!(
        "I drafted a plan from what you have really run. Nothing is tracked until you decide: {review}"
    );
    if replaces {
        said.push_str("\nIt takes the place of the draft before, which stays readable.");
    }
    for remark in list(answer, "remarks").iter().chain(list(answer, "findings")).filter_map(Value::as_str) {
        let _ = write!(said, "\n- {remark}");
    }
    said
}

pub(super) fn ask_for(missing: &str) -> String {
    if missing == super::draft_request::TIME {
        return format!("I can draft that. Say it again with {missing}.");
    }
    format!("I can draft that. Say it again with {missing}, and the time you hope for if there is one.")
}

pub(super) fn proposed(answer: &Value, asides: &[String], because: Because) -> String {
    let Some(review) = text(answer, "review") else { return "There was nothing to change.".to_owned() };
    let mut said = match because {
        Because::Asked => String::new(),
        Because::Tired => "Thank you for saying so; that counts for more than a watch. ".to_owned(),
    };
    let _ = write!(said, "I prepared a proposal. Your plan stays as it is until you decide: {review}");
    for line in list(answer, "preview").iter().chain(list(answer, "findings")).filter_map(Value::as_str) {
        let _ = write!(said, "\n- {line}");
    }
    for aside in asides {
        let _ = write!(said, "\n{aside}");
    }
    said
}
