//! What an athlete means, as far as rules can tell.

use super::days::{Doubt, Named, named};
use super::ease_request::changed;
use super::red_flags::alarm_of;
use super::self_report::{tired, unwell_of};
use super::{Before, draft_request, grammar, unsupported};
use fitness_core::domain::calendar::Day;
use serde_json::{Value, json};

/// What an athlete means.
#[derive(Debug, Clone, PartialEq)]
pub enum Intent {
    /// What today looks like.
    Today,
    Week {
        monday: Day,
    },
    /// The sessions of some days.
    Days {
        days: Vec<Day>,
    },
    /// Why a day's session is what it is, or became what it did.
    Why {
        day: Day,
    },
    /// Fitness, fatigue and form.
    Form {
        /// Whether another time than today was asked for.
        of_another_day: bool,
    },
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
        day: Day,
    },
    /// Some days are meant, but not for certain which.
    Unsure {
        doubt: Doubt,
    },
    /// Something that a doctor has to look at first.
    Alarm {
        /// What `suggest_observation` is asked, where it is the athlete's own and now.
        suggestion: Option<Value>,
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
    /// Something that only the athlete does.
    Decide,
    /// A change that this coach does not know how to make.
    Beyond,
    /// The athlete is away.
    Away {
        /// What `suggest_observation` is asked.
        observation: Value,
    },
    /// One metric on some days.
    Metric {
        /// What `metric_series` is asked.
        input: Value,
        /// What the athlete calls it.
        called: &'static str,
    },
    /// A plan for a race of which something is not said.
    DraftWhat {
        missing: &'static str,
    },
    Unclear,
}

/// What is wanted of a day's sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wanted {
    pub day: Day,
    pub less: Less,
}

/// How a session becomes less.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Less {
    Skip,
    /// It is easy, and shorter.
    Easier,
    /// It is the same, and shorter.
    Shorter,
}

/// Why an illness that was spoken of is nothing to write down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotNow {
    Denied,
    /// It is somebody else's.
    SomebodyElse,
    Past,
}

/// What tells of a day that was.
pub(super) const PAST: &[&str] = &["was", "were", "did", "had", "went", "missed", "ran"];

impl Intent {
    /// Reads what an athlete said, with nothing before it.
    #[must_use]
    pub fn read(text: &str, today: Day) -> Self {
        Self::after(text, today, &Before::Nothing)
    }

    /// Reads what an athlete said after something else was spoken of.
    #[must_use]
    pub fn after(text: &str, today: Day, before: &Before) -> Self {
        let lower: String = text.chars().take(2000).collect::<String>().to_lowercase().replace('’', "'");
        let lower = lower.replace(" - ", " to ").replace(" – ", " to ");
        // Nobody is ill who says this.
        let lower = lower.replace("sick and tired of", "tired of");
        let words = grammar::words(&lower);
        let clauses = grammar::clauses(&lower);
        let has = |any: &[&str]| words.iter().any(|word| any.contains(word));
        let says = |phrase: &str| lower.contains(phrase);
        if let Some(alarm) = alarm_of(&clauses, &lower, today) {
            return alarm;
        }
        if unsupported::is_a_decision(&clauses) {
            return Self::Decide;
        }
        if let Some(change) = changed(&clauses, &words, today, before) {
            return change;
        }
        if let Some(unwell) = unwell_of(&clauses, &lower, today) {
            return unwell;
        }
        if let Some(away) = unsupported::away(&clauses, &words, today) {
            return away;
        }
        let when = named(&words, today, has(PAST) || says("a miss"));
        let is_today = matches!(&when, Named::Nothing) || when == Named::Days(vec![today]);
        if let Some(tired) = tired(&clauses, today).filter(|_| is_today) {
            return tired;
        }
        let goal = draft_request::goal(&words);
        let wants_plan = (has(&["draft", "plan", "train", "training"]) && goal.is_some()) || has(&["draft"]);
        if wants_plan && !has(&["predict", "finish"]) {
            return draft_request::draft(goal, &words, today);
        }
        if unsupported::is_another_change(&clauses, &when) {
            return Self::Beyond;
        }
        let may_i = ["can i run", "could i run", "can i train", "should i run", "should i train"]
            .iter()
            .any(|asked| says(asked));
        let distance = draft_request::distance_km(&words);
        if let Named::Days(days) = &when
            && may_i
            && goal.is_none()
            && days.iter().all(|day| *day >= today)
        {
            return Self::Should { days: days.clone() };
        }
        if has(&["predict", "prediction", "finish"]) || says("could i run") || says("can i run") {
            let input = match (distance, goal) {
                (Some(km), _) => json!({ "distance_km": km }),
                (None, Some(goal)) => json!({ "goal": goal }),
                (None, None) => json!({}),
            };
            return Self::Predict { input };
        }
        if let Some(metric) = unsupported::metric(&clauses, &lower, &when, today) {
            return metric;
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
