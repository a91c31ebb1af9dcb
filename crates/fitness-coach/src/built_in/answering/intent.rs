//! What an athlete means, as far as rules can tell.

use super::grammar::{self, Clause};
use fitness_core::calendar::{Day, Weekday};
use fitness_core::plan::{Goal, weekday};
use serde_json::{Value, json};

/// What an athlete means.
#[derive(Debug, Clone, PartialEq)]
pub enum Intent {
    /// What today looks like.
    Today,
    /// This week's sessions.
    Week,
    /// Why a day's session is what it is.
    Why {
        /// Which day.
        day: Day,
    },
    /// Fitness, fatigue and form.
    Form,
    /// A finish time.
    Predict {
        /// What `predict_finish` is asked.
        input: Value,
    },
    /// What would happen when ill.
    IfUnwell,
    /// Somebody was ill or is, but not the athlete now.
    NotUnwell {
        /// Who or when instead.
        instead: NotNow,
    },
    /// Whether a session should be easier or go.
    Should {
        /// On which day.
        day: Day,
    },
    /// A session should stay as it is.
    Keep,
    /// A day that is over should have been another.
    Over {
        /// Which.
        day: Day,
    },
    /// The athlete is ill or hurt.
    Unwell {
        /// What `suggest_observation` is asked.
        observation: Value,
    },
    /// A session should be easier.
    Easier {
        /// On which day.
        day: Day,
    },
    /// A session should go.
    Skip {
        /// On which day.
        day: Day,
    },
    /// A plan for a race.
    Draft {
        /// What `draft_training_plan` is asked.
        input: Value,
    },
    /// A plan for a race of which something is not said.
    DraftWhat {
        /// What is not.
        missing: &'static str,
    },
    /// Something else.
    Unclear,
}

/// Why an illness that was spoken of is nothing to write down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotNow {
    /// It was denied.
    Denied,
    /// It is somebody else's.
    SomebodyElse,
    /// It is over.
    Past,
}

/// What takes a session out.
const SKIP: &[&str] = &["skip", "skipping", "drop", "dropping", "cancel", "cancelling"];

/// What makes it less.
const EASE: &[&str] = &["easier", "lighter", "shorter", "shorten", "shortening", "ease", "easing"];

impl Intent {
    /// Reads what an athlete said.
    #[must_use]
    pub fn read(text: &str, today: Day) -> Self {
        let lower: String = text.chars().take(2000).collect::<String>().to_lowercase().replace('’', "'");
        let words = grammar::words(&lower);
        let clauses = grammar::clauses(&lower);
        let has = |any: &[&str]| words.iter().any(|word| any.contains(word));
        let says = |phrase: &str| lower.contains(phrase);
        let day = || day_of(&words, today);
        if let Some(change) = changed(&clauses, &words, says("less hard"), today) {
            return change;
        }
        if let Some(unwell) = unwell_of(&clauses, &lower, today) {
            return unwell;
        }
        let goal = goal(&words);
        let wants_plan = (has(&["draft", "plan", "train", "training"]) && goal.is_some()) || has(&["draft"]);
        if wants_plan && !has(&["predict", "finish"]) {
            return draft(goal, &words, today);
        }
        if has(&["predict", "prediction", "finish"]) || says("could i run") || says("can i run") {
            let input = goal.map_or_else(|| json!({}), |goal| json!({ "goal": goal }));
            return Self::Predict { input };
        }
        if has(&["why"]) {
            Self::Why { day: day().unwrap_or(today) }
        } else if has(&["week"]) {
            Self::Week
        } else if has(&["form", "fitness", "fatigue", "load", "fresh"]) {
            Self::Form
        } else if has(&["today", "morning", "session", "recovery", "recovered", "sleep", "now"])
            || says("how am i")
            || says("what should i")
        {
            Self::Today
        } else {
            Self::Unclear
        }
    }
}

/// A session that should be easier or go: asked for, asked about, or not wanted.
fn changed(clauses: &[Clause<'_>], words: &[&str], less_hard: bool, today: Day) -> Option<Intent> {
    let spoken = |any: &[&str]| clauses.iter().find_map(|clause| Some((clause, clause.find(any)?)));
    let (clause, at, skip) = match (spoken(SKIP), spoken(EASE)) {
        (Some((clause, at)), _) => (clause, at, true),
        (None, Some((clause, at))) => (clause, at, false),
        (None, None) if less_hard => (clauses.first()?, 0, false),
        (None, None) => return None,
    };
    let day = day_of(&clause.words, today).or_else(|| day_of(words, today)).unwrap_or(today);
    // `I skipped` is no request, and `why is Thursday easier?` asks for a reason.
    if clause.asks && clause.words.first() == Some(&"why") && !clause.words.contains(&"not") {
        return Some(Intent::Why { day });
    }
    if day < today {
        return Some(Intent::Over { day });
    }
    if clause.asks {
        return Some(Intent::Should { day });
    }
    if clause.denies(at) {
        return Some(Intent::Keep);
    }
    Some(if skip { Intent::Skip { day } } else { Intent::Easier { day } })
}

/// The day that is meant: a word, a weekday to come or one that was, or a date.
fn day_of(words: &[&str], today: Day) -> Option<Day> {
    words.iter().enumerate().find_map(|(at, word)| match word.trim_end_matches("'s") {
        "today" | "todays" => Some(today),
        "tomorrow" | "tomorrows" => Some(today.next()),
        "yesterday" | "yesterdays" => Some(today.previous()),
        word => word.parse().ok().or_else(|| {
            let wanted: Weekday = weekday(word).ok()?;
            let was = at.checked_sub(1).and_then(|before| words.get(before)) == Some(&"last");
            let days = if was { -7..0 } else { 0..7 };
            let mut days = days.map(|ahead| today.plus(ahead));
            days.find(|day| day.weekday() == wanted)
        }),
    })
}

const ILL: &[&str] = &["ill", "sick", "fever", "flu", "cold", "unwell", "infection"];
const HURT: &[&str] = &["hurt", "hurts", "injured", "injury", "pain", "niggle", "strained", "sprained"];

/// What is said of an illness or an injury: the athlete's own and now, if any clause says so.
fn unwell_of(clauses: &[Clause<'_>], lower: &str, today: Day) -> Option<Intent> {
    let mut instead = None;
    for clause in clauses {
        let Some((at, kind)) = unwell(clause) else { continue };
        let asking = ["what if", "if i ", "when i ", "should i"].iter().any(|phrase| lower.contains(phrase));
        if asking || clause.asks {
            return Some(Intent::IfUnwell);
        }
        let not_now = if clause.is_about_others(at) {
            NotNow::SomebodyElse
        } else if clause.denies(at) {
            NotNow::Denied
        } else if clause.is_past() {
            NotNow::Past
        } else {
            return Some(Intent::Unwell { observation: observation(kind, &grammar::words(lower), today) });
        };
        instead.get_or_insert(not_now);
    }
    instead.map(|instead| Intent::NotUnwell { instead })
}

/// The illness or injury a clause speaks of, and where. The weather may be cold, and one may be sick of something.
fn unwell(clause: &Clause<'_>) -> Option<(usize, &'static str)> {
    let words = &clause.words;
    let is_ill = |at: usize| {
        let before = at.checked_sub(1).and_then(|before| words.get(before)).copied().unwrap_or_default();
        match words[at] {
            "cold" => {
                matches!(
                    before,
                    "a" | "my" | "bad" | "head" | "heavy" | "slight" | "nasty" | "with" | "have" | "no"
                )
            }
            "sick" => words.get(at + 1) != Some(&"of"),
            word => ILL.contains(&word),
        }
    };
    let ill = (0..words.len()).find(|at| is_ill(*at)).map(|at| (at, "illness"));
    ill.or_else(|| clause.find(HURT).map(|at| (at, "injury")))
}

fn observation(kind: &str, words: &[&str], today: Day) -> Value {
    let has = |any: &[&str]| words.iter().any(|word| any.contains(word));
    let value = if has(&["fever", "flu", "infection", "stomach", "chest", "cannot", "can't", "badly"]) {
        3
    } else if has(&["niggle", "slightly", "cold", "bit"]) {
        1
    } else {
        2
    };
    let from = if has(&["yesterday"]) { today.previous() } else { today };
    json!({ "kind": kind, "from": from, "through": today.plus(2), "value": value })
}

fn goal(words: &[&str]) -> Option<Goal> {
    words
        .iter()
        .find_map(|word| match *word {
            "5k" | "5km" => Some(Goal::FiveK),
            "10k" | "10km" => Some(Goal::TenK),
            "half" | "half-marathon" => Some(Goal::Half),
            "full" => Some(Goal::Full),
            _ => None,
        })
        .or_else(|| words.contains(&"marathon").then_some(Goal::Full))
}

fn draft(goal: Option<Goal>, words: &[&str], today: Day) -> Intent {
    let Some(goal) = goal else {
        return Intent::DraftWhat { missing: "the race: 5K, 10K, half marathon or marathon" };
    };
    let Some(race) =
        words.iter().find_map(|word| word.parse::<Day>().ok()).or_else(|| spoken_date(words, today))
    else {
        return Intent::DraftWhat { missing: "the day of the race, with its month and year" };
    };
    let mut input = json!({ "goal": goal, "race_date": race });
    if let Some(target) = words.iter().find_map(|word| target(word, goal)) {
        input["target_time"] = json!(target);
    }
    Intent::Draft { input }
}

/// `11 april 2027` and `april 11 2027`; the next such day when the year is left out.
fn spoken_date(words: &[&str], today: Day) -> Option<Day> {
    const MONTHS: [&str; 12] =
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let number = |at: Option<usize>| -> Option<u32> {
        words.get(at?)?.trim_end_matches(|c: char| c.is_alphabetic()).parse().ok()
    };
    let (at, month) = words.iter().enumerate().find_map(|(at, word)| {
        let month = MONTHS.iter().position(|month| word.len() >= 3 && word.starts_with(month))?;
        Some((at, u32::try_from(month + 1).ok()?))
    })?;
    let is_day = |day: &u32| (1..=31).contains(day);
    let (day, year_at) = match number(at.checked_sub(1)).filter(is_day) {
        Some(day) => (day, at + 1),
        None => (number(Some(at + 1)).filter(is_day)?, at + 2),
    };
    let year = number(Some(year_at))
        .and_then(|year| i32::try_from(year).ok())
        .filter(|year| (2000..2200).contains(year));
    match year {
        Some(year) => Day::new(year, month, day),
        None => (0..2).find_map(|ahead| {
            let year: i32 = today.to_string().get(..4)?.parse().ok()?;
            Day::new(year + ahead, month, day).filter(|day| *day > today)
        }),
    }
}

/// `1:45` means hours and minutes for a long race, minutes and seconds for a short one.
fn target(word: &str, goal: Goal) -> Option<String> {
    let parts: Vec<u32> = word.split(':').map(str::parse).collect::<Result<_, _>>().ok()?;
    match (parts.as_slice(), goal) {
        ([hours, minutes, seconds], _) => Some(format!("{hours:02}:{minutes:02}:{seconds:02}")),
        ([hours, minutes], Goal::Half | Goal::Full | Goal::Custom) => {
            Some(format!("{hours:02}:{minutes:02}:00"))
        }
        ([minutes, seconds], _) => Some(format!("00:{minutes:02}:{seconds:02}")),
        _ => None,
    }
}
