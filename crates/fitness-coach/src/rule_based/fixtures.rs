//! Test facts: arbitrary ones, and those of a typical morning.

use fitness_core::adherence::grade::Verdict;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::observation::AbsenceReason;
use fitness_core::domain::units::{Distance, Pace, TimeSpan};
use fitness_core::facts::{
    Fact, FactName, FactText, FactUnit, FactValue, FactWord, Facts, MissingFact, SourceRow,
};
use fitness_core::metrics::fitness::{FormBand, RampBand};
use fitness_core::metrics::load::monotony_and_spikes::SpikeBand;
use fitness_core::metrics::recovery::RecoveryBand;
use fitness_core::metrics::recovery::hrv::HrvState;
use fitness_core::metrics::recovery::illness::IllnessSignDuration;
use fitness_core::metrics::{CountUnit, MissingReason, Quality, RequiredInput};
use fitness_core::plan::WorkoutKind;
use proptest::collection::vec;
use proptest::prelude::*;

pub(crate) fn today() -> Day {
    "2026-06-29".parse().unwrap()
}

/// The possible words of a fact.
pub(crate) fn fact_words(name: FactName) -> Vec<FactWord> {
    fn all<T: Copy>(words: &[T], of: impl Fn(T) -> FactWord) -> Vec<FactWord> {
        words.iter().copied().map(of).collect()
    }
    match name {
        FactName::FormBand => all(FormBand::ALL, FactWord::Form),
        FactName::RampBand => all(RampBand::ALL, FactWord::Ramp),
        FactName::HrvState => all(HrvState::ALL, FactWord::Hrv),
        FactName::RecoveryBand => all(RecoveryBand::ALL, FactWord::Recovery),
        FactName::LastRunJumpBand => all(SpikeBand::ALL, FactWord::Jump),
        FactName::SignsOfIllness => all(IllnessSignDuration::ALL, FactWord::Illness),
        FactName::TodayWorkoutKind => all(WorkoutKind::ALL, FactWord::Kind),
        FactName::TodayWorkoutVerdict => all(Verdict::ALL, FactWord::Verdict),
        FactName::LastVerdict => all(&[Verdict::Hit, Verdict::Short, Verdict::Missed], FactWord::Verdict),
        _ => all(AbsenceReason::ALL, FactWord::Mark),
    }
}

/// A value for a fact, made from a number and a name.
fn value(name: FactName, number: i32, title: &str) -> FactValue {
    let size = i64::from(number.unsigned_abs());
    match name.unit() {
        FactUnit::Distance => FactValue::Distance(Distance::from_mm(size * 100_000)),
        FactUnit::Clock | FactUnit::HoursAndMinutes => FactValue::Time(TimeSpan::from_mins(size)),
        FactUnit::Pace | FactUnit::SwimPace => {
            FactValue::Pace(Pace::from_seconds_per_km(200.0 + size as f64 / 10.0).unwrap())
        }
        FactUnit::CalendarDay => FactValue::Day(today().plus_days(-size)),
        FactUnit::Name => {
            FactValue::Text(FactText::new(title).unwrap_or_else(|| FactText::new("Run").unwrap()))
        }
        FactUnit::Word => {
            let words = fact_words(name);
            FactValue::Word(words[number.unsigned_abs() as usize % words.len()])
        }
        FactUnit::StandardDeviations => FactValue::Number(f64::from(number) / 500.0),
        _ => FactValue::Number(f64::from(number)),
    }
}

pub(crate) fn fact(name: FactName, value: FactValue) -> Fact {
    Fact {
        id: name.into(),
        value,
        unit: name.unit(),
        as_of: today(),
        sources: vec![SourceRow::Day(today())],
        method: "test".to_owned(),
        quality: Quality::Ok,
        learning: None,
    }
}

/// Facts with the values of `known`; a prediction always gets its range.
pub(crate) fn facts(known: impl Fn(FactName) -> Option<FactValue>, why: &MissingReason) -> Facts {
    let (mut there, mut gone) = (Vec::new(), Vec::new());
    for name in FactName::ALL.iter().copied() {
        // A prediction and both ends of its range, or none.
        let point = name.as_str().trim_end_matches("_low").trim_end_matches("_high").parse().unwrap_or(name);
        let whole = !name.as_str().starts_with("predicted_") || known(point).is_some();
        let fallback = || name.as_str().starts_with("predicted_").then(|| value(name, 60, ""));
        match known(name).or_else(|| fallback().filter(|_| whole)).filter(|_| whole) {
            Some(value) => there.push(fact(name, value)),
            None => gone.push(MissingFact { id: name.into(), why: why.clone() }),
        }
    }
    Facts::new(there, gone).unwrap()
}

/// All facts known with typical values, except the given ones.
pub(crate) fn typical_facts(given: &[(FactName, FactValue)], without: &[FactName]) -> Facts {
    let known = |name: FactName| {
        let told = given.iter().find(|(given, _)| *given == name).map(|(_, value)| value.clone());
        let quiet =
            matches!(name, FactName::AbsenceToday | FactName::PendingProposals | FactName::LastAbsence);
        told.or_else(|| (!quiet && !without.contains(&name)).then(|| typical_value(name)))
    };
    facts(known, &MissingReason::NotYet)
}

fn typical_value(name: FactName) -> FactValue {
    match name {
        FactName::RecoveryBand => FactValue::Word(FactWord::Recovery(RecoveryBand::High)),
        FactName::SignsOfIllness => FactValue::Word(FactWord::Illness(IllnessSignDuration::None)),
        FactName::TodayWorkoutVerdict => FactValue::Word(FactWord::Verdict(Verdict::Pending)),
        FactName::LastVerdict => FactValue::Word(FactWord::Verdict(Verdict::Hit)),
        FactName::FormBand => FactValue::Word(FactWord::Form(FormBand::Productive)),
        FactName::RampBand => FactValue::Word(FactWord::Ramp(RampBand::Comfortable)),
        FactName::TodayWorkout => FactValue::Text(FactText::new("4x1 km @ 5K").unwrap()),
        FactName::SleepFromUsual | FactName::RestingHeartRateFromUsual => FactValue::Number(0.0),
        _ => value(name, 20, "Easy 8"),
    }
}

pub(crate) fn any_facts() -> impl Strategy<Value = Facts> {
    let count = FactName::ALL.len();
    let why = prop::sample::select(vec![
        MissingReason::NotYet,
        MissingReason::missing(RequiredInput::Sleep),
        MissingReason::missing(RequiredInput::Plan),
        MissingReason::TooFew { have: 3, needed: 7, what: CountUnit::Days },
        MissingReason::Patchy { percent: 12 },
    ]);
    let share = prop::sample::select(vec![0.0, 0.3, 0.7, 0.95, 1.0]);
    let title = prop_oneof![Just("4x1 km @ 5K".to_owned()), "\\PC{0,30}", any::<String>()];
    (vec((0.0..1.0_f64, -600..600_i32), count), share, any::<[bool; 3]>(), why, title).prop_map(
        |(dice, share, [plan, marked, low], why, title)| {
            let known = |name: FactName| {
                let at = FactName::ALL.iter().position(|other| *other == name).unwrap();
                let (chance, number) = dice[at];
                let id = name.as_str();
                let of_a_plan =
                    ["plan_", "goal_", "today_", "last_judged", "last_verdict", "last_excuse", "proposal_"]
                        .iter()
                        .any(|begin| id.starts_with(begin));
                let shown = match name {
                    FactName::PlanName => plan,
                    FactName::AbsenceToday => marked && chance < share,
                    _ if of_a_plan => plan && chance < share,
                    _ => chance < share,
                };
                let value = match name {
                    FactName::RecoveryBand if low => FactValue::Word(FactWord::Recovery(RecoveryBand::Low)),
                    _ => value(name, number, &title),
                };
                shown.then_some(value)
            };
            facts(known, &why)
        },
    )
}
