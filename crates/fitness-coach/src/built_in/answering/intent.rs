//! What an athlete means, as far as rules can tell.

use super::days::{self, Doubt, Named, named, spoken_date};
use super::feeling::{tired, unwell_of};
use super::grammar::{self, Clause};
use fitness_core::calendar::Day;
use fitness_core::plan::Goal;
use serde_json::{Value, json};

/// What an athlete means.
#[derive(Debug, Clone, PartialEq)]
pub enum Intent {
    /// What today looks like.
    Today,
    /// A week's sessions.
    Week {
        /// Its first day.
        monday: Day,
    },
    /// The sessions of some days.
    Days {
        /// Which; never none.
        days: Vec<Day>,
    },
    /// Why a day's session is what it is, or became what it did.
    Why {
        /// Which day.
        day: Day,
    },
    /// Fitness, fatigue and form.
    Form {
        /// Whether another time than today was asked for.
        of_another_day: bool,
    },
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
    /// Whether sessions should be easier or go.
    Should {
        /// On which days; never none.
        days: Vec<Day>,
    },
    /// A session should stay as it is.
    Keep,
    /// A day that is over should have been another.
    Over {
        /// Which.
        day: Day,
    },
    /// Some days are meant, but not for certain which.
    Unsure {
        /// Why not.
        doubt: Doubt,
    },
    /// The athlete is ill or hurt.
    Unwell {
        /// What `suggest_observation` is asked.
        observation: Value,
    },
    /// The athlete feels low today, and is not ill.
    Tired,
    /// Sessions should be less, or go.
    Change {
        /// What is wanted of which day; never none, and each day once.
        wanted: Vec<Wanted>,
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

/// What is wanted of a day's sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wanted {
    /// Which day.
    pub day: Day,
    /// How much less.
    pub less: Less,
}

/// How a session becomes less.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Less {
    /// It goes.
    Skip,
    /// It is easy, and shorter.
    Easier,
    /// It is the same, and shorter.
    Shorter,
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
const SKIP: &[&str] = &["skip", "skipping", "drop", "dropping", "cancel", "cancelling", "canceling"];

/// What makes it less.
const EASE: &[&str] = &["easier", "lighter", "gentler", "ease", "easing"];

/// What makes it shorter, and nothing else.
const SHORTEN: &[&str] = &["shorter", "shorten", "shortening"];

/// What names a session, or many, and no day.
#[rustfmt::skip]
const NO_DAY: &[&str] = &[
    "long", "interval", "intervals", "tempo", "threshold", "hills", "hill", "strides", "race", "everything", "all",
    "every", "each", "plan", "schedule", "next", "rest", "both", "them", "sessions", "runs", "workouts",
];

/// What tells of a day that was.
const PAST: &[&str] = &["was", "were", "did", "had", "went", "missed", "ran"];

impl Intent {
    /// Reads what an athlete said.
    #[must_use]
    pub fn read(text: &str, today: Day) -> Self {
        let lower: String = text.chars().take(2000).collect::<String>().to_lowercase().replace('’', "'");
        let lower = lower.replace(" - ", " to ").replace(" – ", " to ");
        let words = grammar::words(&lower);
        let clauses = grammar::clauses(&lower);
        let has = |any: &[&str]| words.iter().any(|word| any.contains(word));
        let says = |phrase: &str| lower.contains(phrase);
        if let Some(change) = changed(&clauses, &words, today) {
            return change;
        }
        if let Some(unwell) = unwell_of(&clauses, &lower, today) {
            return unwell;
        }
        let when = named(&words, today, has(PAST) || says("a miss"));
        let is_today = matches!(&when, Named::Nothing) || when == Named::Days(vec![today]);
        if let Some(tired) = tired(&clauses, today).filter(|_| is_today) {
            return tired;
        }
        let goal = goal(&words);
        let wants_plan = (has(&["draft", "plan", "train", "training"]) && goal.is_some()) || has(&["draft"]);
        if wants_plan && !has(&["predict", "finish"]) {
            return draft(goal, &words, today);
        }
        let may_i = ["can i run", "could i run", "can i train", "should i run", "should i train"]
            .iter()
            .any(|asked| says(asked));
        if let Named::Days(days) = &when
            && may_i
            && goal.is_none()
            && days.iter().all(|day| *day >= today)
        {
            return Self::Should { days: days.clone() };
        }
        if has(&["predict", "prediction", "finish"]) || says("could i run") || says("can i run") {
            let input = goal.map_or_else(|| json!({}), |goal| json!({ "goal": goal }));
            return Self::Predict { input };
        }
        let why = has(&["why"]);
        if !why && has(&["form", "fitness", "fatigue", "load", "fresh"]) {
            return Self::Form { of_another_day: !is_today };
        }
        let asks = clauses.iter().any(|clause| clause.asks);
        match when {
            Named::Days(days) => match days.as_slice() {
                [day] if why => Self::Why { day: *day },
                [day] if *day == today => Self::Today,
                _ => Self::Days { days },
            },
            Named::Week(monday) => Self::Week { monday },
            Named::Unsure(doubt) if asks || why => Self::Unsure { doubt },
            Named::Nothing if why => Self::Why { day: today },
            Named::Nothing
                if has(&["morning", "session", "recovery", "recovered", "sleep", "now"])
                    || says("how am i")
                    || says("what should i") =>
            {
                Self::Today
            }
            Named::Nothing | Named::Unsure(_) => Self::Unclear,
        }
    }
}

/// How a clause wants a session to be less, and where it says so.
fn less_of(clause: &Clause<'_>) -> Option<(usize, Less)> {
    let hard = |two: &[&str]| two[0] == "less" && matches!(two[1], "hard" | "intense");
    let find = |any: &[&str], less: Less| clause.find(any).map(|at| (at, less));
    find(SKIP, Less::Skip)
        .or_else(|| find(EASE, Less::Easier))
        .or_else(|| clause.words.windows(2).position(hard).map(|at| (at, Less::Easier)))
        .or_else(|| find(SHORTEN, Less::Shorter))
}

/// Sessions that should be less: asked for, asked about, or not wanted.
fn changed(clauses: &[Clause<'_>], words: &[&str], today: Day) -> Option<Intent> {
    let spoken: Vec<(usize, usize, Less)> = (clauses.iter().enumerate())
        .filter_map(|(index, clause)| less_of(clause).map(|(at, less)| (index, at, less)))
        .collect();
    let (first, ..) = *spoken.first()?;
    let asks = clauses[first].asks;
    // `Why is Thursday easier?` asks for a reason.
    let why = asks && clauses[first].words.first() == Some(&"why") && !clauses[first].words.contains(&"not");
    if why {
        let past = clauses[first].words.iter().any(|word| PAST.contains(word));
        return Some(match named(&clauses[first].words, today, past) {
            Named::Days(days) if days.len() == 1 => Intent::Why { day: days[0] },
            Named::Days(days) => Intent::Days { days },
            Named::Week(monday) => Intent::Week { monday },
            Named::Unsure(doubt) => Intent::Unsure { doubt },
            Named::Nothing => Intent::Why { day: today },
        });
    }
    let mut wanted: Vec<Wanted> = Vec::new();
    let is_wanted = |(index, at, _): &&(usize, usize, Less)| asks || !clauses[*index].denies(*at);
    for (index, _, less) in spoken.iter().filter(is_wanted) {
        let days = match days_of(clauses, *index, words, today) {
            Ok(days) => days,
            Err(instead) => return Some(instead),
        };
        if let Some(day) = days.iter().copied().find(|day| *day < today) {
            return Some(Intent::Over { day });
        }
        for day in days {
            if wanted.iter().all(|one| one.day != day) {
                wanted.push(Wanted { day, less: *less });
            }
        }
    }
    wanted.sort_unstable_by_key(|one| one.day);
    Some(match wanted.as_slice() {
        [] => Intent::Keep,
        _ if asks => Intent::Should { days: wanted.iter().map(|one| one.day).collect() },
        _ => Intent::Change { wanted },
    })
}

/// The days that a wish is about: those of its clause and of what only goes on with days, else those of the whole text,
/// else today; or what to say instead.
fn days_of(clauses: &[Clause<'_>], index: usize, all: &[&str], today: Day) -> Result<Vec<Day>, Intent> {
    let unsure = |doubt: Doubt| Intent::Unsure { doubt };
    let expanded = |found: Named| match found {
        Named::Nothing => Ok(None),
        Named::Days(days) => Ok(Some(days)),
        // What is left of a week is what can still be changed.
        Named::Week(monday) if monday.plus(6) < today => Err(Intent::Over { day: monday.plus(6) }),
        Named::Week(monday) => Ok(Some(monday.max(today).through(monday.plus(6)).collect())),
        Named::Unsure(doubt) => Err(unsure(doubt)),
    };
    let mut words = clauses[index].words.clone();
    let mut spared: Vec<Day> = Vec::new();
    for clause in clauses.iter().skip(index + 1) {
        if less_of(clause).is_some() || !days::are_only_days(&clause.words, today) {
            break;
        }
        if clause.denies(clause.words.len()) {
            spared.extend(expanded(named(&clause.words, today, false))?.unwrap_or_default());
        } else {
            words.push("and");
            words.extend(&clause.words);
        }
    }
    if let Some(mut days) = expanded(named(&words, today, false))? {
        days.retain(|day| !spared.contains(day));
        return Ok(days);
    }
    if clauses[index].find(NO_DAY).is_some() {
        return Err(unsure(Doubt::NoDay));
    }
    match named(all, today, false) {
        Named::Nothing => Ok(vec![today]),
        // `Yesterday was hard, make it easier` is about what is to come.
        Named::Days(days) => {
            let ahead: Vec<Day> = days.into_iter().filter(|day| *day >= today).collect();
            Ok(if ahead.is_empty() { vec![today] } else { ahead })
        }
        Named::Week(_) => Err(unsure(Doubt::NoDay)),
        Named::Unsure(doubt) => Err(unsure(doubt)),
    }
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
