//! Facts of sample mornings, and good briefs for them.

use fitness_core::domain::units::{Distance, Pace, TimeSpan};
use fitness_core::facts::{Fact, FactName, FactText, FactUnit, FactValue, Facts, MissingFact, SourceRow};
use fitness_core::llm_output::brief::{Briefing, Metric};
use fitness_core::metrics::{MissingReason, Quality};
use serde_json::json;
use std::sync::LazyLock;

/// Any value that fits a fact; words as given.
fn value(name: FactName, word: &str) -> FactValue {
    match name.unit() {
        FactUnit::Distance => FactValue::Distance(Distance::from_km(48.2).unwrap()),
        FactUnit::Clock | FactUnit::HoursAndMinutes => FactValue::Time(TimeSpan::from_mins(444)),
        FactUnit::Pace | FactUnit::SwimPace => FactValue::Pace(Pace::from_seconds_per_km(312.0).unwrap()),
        FactUnit::CalendarDay => FactValue::Day("2026-06-27".parse().unwrap()),
        FactUnit::Name => FactValue::Text(FactText::new("4x1 km @ 5K").unwrap()),
        FactUnit::Word => {
            let kind = match name {
                FactName::FormBand => ("form", "neutral"),
                FactName::RampBand => ("ramp", "comfortable"),
                FactName::HrvState => ("hrv", "within"),
                FactName::LastRunJumpBand => ("jump", "usual"),
                FactName::SignsOfIllness => ("illness", "none"),
                FactName::RecoveryBand => ("recovery", "high"),
                FactName::TodayWorkoutKind => ("kind", "tempo"),
                FactName::TodayWorkoutVerdict => ("verdict", "pending"),
                FactName::LastVerdict => ("verdict", "hit"),
                _ => ("mark", "ill"),
            };
            let word = if word.is_empty() { kind.1 } else { word };
            serde_json::from_value(json!({ "word": { kind.0: word } })).unwrap()
        }
        _ => FactValue::Number(62.0),
    }
}

fn fact(name: FactName, word: &str) -> Fact {
    let day = "2026-06-29".parse().unwrap();
    Fact {
        id: name.into(),
        value: value(name, word),
        unit: name.unit(),
        as_of: day,
        sources: vec![SourceRow::Day(day)],
        method: "told".to_owned(),
        quality: Quality::Ok,
        learning: None,
    }
}

fn is_plan_fact(name: FactName) -> bool {
    let id = name.as_str();
    [
        "plan_",
        "goal_",
        "today_",
        "last_judged",
        "last_verdict",
        "last_excuse",
        "proposal_",
        "race_",
        "days_to",
        "predicted_race",
    ]
    .iter()
    .any(|begin| id.starts_with(begin))
}

/// Facts of the sample mornings.
pub(super) fn facts_for(name: &str) -> Facts {
    let known = |fact: FactName| match fact {
        FactName::ThresholdPower => false,
        _ if name == "nothing" => false,
        FactName::AbsenceToday | FactName::PendingProposals => name == "ill",
        FactName::LastAbsence => false,
        // An athlete who has checked in is not asked again.
        FactName::RecoveryFromFeel => name == "sore",
        _ if is_plan_fact(fact)
            && !["plan", "nosleep", "ill", "free", "tired", "easy", "rest", "sore"].contains(&name) =>
        {
            false
        }
        _ if name == "free" && fact.as_str().starts_with("today_") => false,
        _ => match Metric::from_fact(fact) {
            Some(Metric::Sleep) => name != "nosleep",
            Some(Metric::TrainingLoad) => name != "noload",
            _ => true,
        },
    };
    let word = |fact: FactName| match fact {
        FactName::RecoveryBand if ["low", "tired", "sore"].contains(&name) => "low",
        FactName::TodayWorkoutKind if ["easy", "rest"].contains(&name) => name,
        _ => "",
    };
    let (there, gone): (Vec<FactName>, Vec<FactName>) =
        FactName::ALL.iter().copied().partition(|name| known(*name));
    let missing =
        gone.into_iter().map(|name| MissingFact { id: name.into(), why: MissingReason::NotYet }).collect();
    let told = |known: FactName| {
        let mut fact = fact(known, word(known));
        if known == FactName::RecoveryFromFeel && name == "sore" {
            fact.value = FactValue::Number(-0.4);
        }
        fact
    };
    Facts::new(there.into_iter().map(told).collect(), missing).unwrap()
}

/// A good brief and its sample morning.
pub(super) struct GoodBrief {
    pub(super) facts_name: String,
    pub(super) briefing: Briefing,
}

/// The fifty and more good briefs of the fixture.
pub(super) static GOOD_BRIEFS: LazyLock<Vec<GoodBrief>> = LazyLock::new(|| {
    let blocks = include_str!("../../../fixtures/briefs_good.txt").split("== ").skip(1);
    blocks
        .map(|block| {
            let (head, body) = block.split_once('\n').unwrap();
            let [world, metrics, tone] = head.split('|').map(str::trim).collect::<Vec<_>>()[..] else {
                panic!("{head}");
            };
            let metrics = metrics.split(", ").filter(|word| !word.is_empty());
            GoodBrief {
                facts_name: world.to_owned(),
                briefing: Briefing {
                    metrics: metrics.map(|word| word.parse().unwrap()).collect(),
                    tone: tone.parse().unwrap(),
                    body: body.trim().to_owned(),
                },
            }
        })
        .collect()
});
