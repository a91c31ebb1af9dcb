//! The built-in coach keeps the contract whatever the facts are, and says what they say.

use super::brief;
use super::fixtures::{any_facts, facts, morning};
use fitness_core::adherence::grade::Verdict;
use fitness_core::domain::observation::Excuse;
use fitness_core::domain::units::{TimeSpan, UnitSystem};
use fitness_core::facts::{FactName, FactText, FactValue, FactWord, Facts};
use fitness_core::llm_output::brief::{Metric, Tone, check_briefing};
use fitness_core::metrics::fitness::{FormBand, RampBand};
use fitness_core::metrics::recovery::RecoveryBand;
use fitness_core::metrics::recovery::illness::IllnessSigns;
use fitness_core::metrics::{Absent, Quality};
use fitness_core::plan::WorkoutKind;
use proptest::prelude::*;

fn read(facts: &Facts) -> String {
    let briefing = brief(facts);
    check_briefing(&briefing, facts).unwrap_or_else(|faults| panic!("{}\n{faults:#?}", briefing.body));
    briefing.rendered(facts, UnitSystem::Metric).unwrap()
}

fn word(word: FactWord) -> FactValue {
    FactValue::Word(word)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn whatever_the_facts_are_the_brief_keeps_the_contract(facts in any_facts()) {
        let briefing = brief(&facts);
        let checked = check_briefing(&briefing, &facts);
        prop_assert!(checked.is_ok(), "{}\n{:#?}", briefing.body, checked);
        prop_assert!(briefing.rendered(&facts, UnitSystem::Imperial).is_ok());
        prop_assert_eq!(brief(&facts), briefing);
    }
}

#[test]
fn of_nothing_it_says_that_there_is_nothing() {
    let nothing = facts(|_| None, &Absent::NotYet);
    assert_eq!(
        read(&nothing),
        "There is no data on your recovery today, as none has arrived. There is no data on last night's sleep, as none has \
         arrived. There is no data on your training load, as none has arrived. Import or sync something, and this page will \
         have more to say."
    );
    let briefing = brief(&nothing);
    assert_eq!((briefing.metrics, briefing.tone), (vec![], Tone::Neutral));
}

#[test]
fn with_a_plan_it_opens_with_the_session_its_state_and_the_last_verdict() {
    let text = read(&morning(&[], &[]));
    assert!(
        text.starts_with(
            "4x1 km @ 5K today, 2.0 km. It is still pending. On Tue 9 Jun you did what Easy 8 asked of you: hit."
        ),
        "{text}"
    );
    assert!(text.contains("Your Easy 8 is 20 days away."), "{text}");
    assert_eq!(brief(&morning(&[], &[])).metrics, Metric::ALL);
    assert_eq!(brief(&morning(&[], &[])).tone, Tone::Encouraging);
}

#[test]
fn without_a_plan_it_says_nothing_of_one() {
    let plan: Vec<FactName> = FactName::ALL
        .iter()
        .copied()
        .filter(|name| {
            let id = name.as_str();
            ["plan_", "goal_", "today_", "last_judged", "last_verdict", "race_", "days_to", "predicted_race"]
                .iter()
                .any(|begin| id.starts_with(begin))
        })
        .collect();
    let text = read(&morning(&[], &plan));
    assert!(text.starts_with("Recovery is 20 this morning"), "{text}");
    assert!(!text.contains("plan") && !text.contains("ession"), "{text}");
}

#[test]
fn what_it_says_follows_from_the_facts() {
    let state = |verdict| (FactName::TodaySessionState, word(FactWord::Verdict(verdict)));
    let last = |verdict| (FactName::LastVerdict, word(FactWord::Verdict(verdict)));
    let form = |band| (FactName::FormBand, word(FactWord::Form(band)));
    let kind = |kind| (FactName::TodaySessionKind, word(FactWord::Kind(kind)));
    let number = FactValue::Number;
    for (given, without, says) in [
        (vec![state(Verdict::Hit)], vec![], "behind you already, and it counts: hit."),
        (vec![state(Verdict::Rest)], vec![], "a rest day, and that is where"),
        (
            vec![state(Verdict::Pending), kind(WorkoutKind::Rest)],
            vec![],
            "for today, which is still pending, and that is where",
        ),
        (vec![state(Verdict::Pending), kind(WorkoutKind::Rest)], vec![], "Enjoy the rest."),
        (vec![kind(WorkoutKind::Race)], vec![], "4x1 km @ 5K today. It is still pending."),
        (vec![(FactName::DaysToRace, number(0.0))], vec![], "Today is your"),
        (vec![state(Verdict::NotStarted)], vec![], "nothing counts before it begins: not started."),
        (vec![state(Verdict::Short)], vec![], "less than the plan asks: short."),
        (vec![state(Verdict::Missed)], vec![], "did not happen: missed."),
        (
            vec![state(Verdict::Missed), (FactName::MarkedToday, word(FactWord::Mark(Excuse::Away)))],
            vec![],
            "did not happen: missed, but excused",
        ),
        (vec![], vec![FactName::TodaySessionDistance], "4x1 km @ 5K today, 20 min."),
        (
            vec![],
            vec![FactName::TodaySessionDistance, FactName::TodaySessionTime],
            "4x1 km @ 5K today. It is still pending.",
        ),
        (vec![], vec![FactName::TodaySessionState], "4x1 km @ 5K today."),
        (vec![], vec![FactName::TodaySession], "Your plan has nothing for today"),
        (vec![last(Verdict::Short)], vec![], "a part of Easy 8: short"),
        (vec![last(Verdict::Missed)], vec![], "not caught up on"),
        (vec![last(Verdict::Missed)], vec![FactName::LastJudgedDay], "Your last judged day was missed."),
        (vec![(FactName::LastExcuse, word(FactWord::Mark(Excuse::Away)))], vec![], "You were away then"),
        (
            vec![(FactName::MarkedToday, word(FactWord::Mark(Excuse::Ill)))],
            vec![],
            "getting well goes before",
        ),
        (vec![(FactName::MarkedToday, word(FactWord::Mark(Excuse::Injured)))], vec![], "healing goes before"),
        (vec![(FactName::MarkedToday, word(FactWord::Mark(Excuse::Away)))], vec![], "training can wait"),
        (
            vec![(FactName::ProposalWaiting, FactValue::Text(FactText::new("proposal 5").unwrap()))],
            vec![],
            "Waiting for your decision: proposal 5.",
        ),
        (vec![(FactName::RecoveryFromSleep, number(-0.4))], vec![], "What holds it back is your sleep."),
        (
            vec![(FactName::RecoveryFromHrv, number(0.6))],
            vec![],
            "What helps it most is your heart rate variability",
        ),
        (
            vec![(FactName::RecoveryBand, word(FactWord::Recovery(RecoveryBand::Middle)))],
            vec![],
            "in the middle of",
        ),
        (vec![], vec![FactName::RecoveryBand], "Recovery is 20 this morning."),
        (vec![(FactName::RestingHeartRateFromUsual, number(6.0))], vec![], "against a usual 20 bpm"),
        (vec![(FactName::SleepFromUsual, number(45.0))], vec![], "more than your usual"),
        (vec![(FactName::SleepFromUsual, number(-45.0))], vec![], "less than your usual"),
        (vec![(FactName::SleepFromUsual, number(-45.0))], vec![FactName::SleepUsual], "less than usual."),
        (vec![], vec![FactName::SleepFromUsual], "You slept 20 min."),
        (vec![], vec![FactName::SleepLastNight], "There is no data on last night's sleep"),
        (
            vec![(FactName::SleepDebt14Days, FactValue::Time(TimeSpan::from_mins(400)))],
            vec![],
            "fell 6h 40m short of what you want",
        ),
        (vec![form(FormBand::HighStrain)], vec![], "more than you have had time to absorb"),
        (vec![form(FormBand::Neutral)], vec![], "in balance"),
        (vec![form(FormBand::Fresh)], vec![], "rested and ready"),
        (vec![form(FormBand::Transition)], vec![], "begin to fade"),
        (vec![], vec![FactName::FormBand], "fitness less fatigue"),
        (vec![], vec![FactName::FormBand, FactName::Form], "Yesterday's training came to"),
        (vec![(FactName::RampBand, word(FactWord::Ramp(RampBand::Steep)))], vec![], "climbing fast (steep)"),
        (
            vec![(FactName::RampBand, word(FactWord::Ramp(RampBand::Hard)))],
            vec![],
            "takes care to keep up (hard)",
        ),
    ] {
        let text = read(&morning(&given, &without));
        assert!(text.contains(says), "{says:?} is not in: {text}");
    }
}

/// A form of weeks ago is no balance of today.
#[test]
fn what_is_old_is_told_as_what_it_was() {
    let balanced = morning(&[(FactName::FormBand, word(FactWord::Form(FormBand::Neutral)))], &[]);
    assert!(read(&balanced).contains("in balance"));
    let mut known = balanced.known().to_vec();
    known.iter_mut().filter(|fact| fact.id.as_str() == "form").for_each(|fact| {
        fact.quality = Quality::EstimatedStale;
    });
    let text = read(&Facts::new(known, Vec::new()).unwrap());
    assert!(text.contains("When your data ended, form was") && !text.contains("in balance"), "{text}");
}

#[test]
fn a_device_alone_makes_it_ask_and_the_athletes_word_ends_the_question() {
    let low = (FactName::RecoveryBand, word(FactWord::Recovery(RecoveryBand::Low)));
    let tempo = (FactName::TodaySessionKind, word(FactWord::Kind(WorkoutKind::Tempo)));
    let signs = (FactName::SignsOfIllness, word(FactWord::Illness(IllnessSigns::OneDay)));
    let ill = (FactName::MarkedToday, word(FactWord::Mark(Excuse::Ill)));
    let easy = (FactName::TodaySessionKind, word(FactWord::Kind(WorkoutKind::Easy)));
    let unasked = [FactName::RecoveryFromFeel];
    for (given, asked) in [
        (vec![low.clone(), tempo], "how do you feel about a hard session today?"),
        (vec![low.clone(), easy], "how do you feel today?"),
        (vec![signs.clone()], "do you feel ill"),
    ] {
        let facts = morning(&given, &unasked);
        assert!(read(&facts).contains(asked), "{}", read(&facts));
        assert_eq!(brief(&facts).tone, Tone::Neutral);
    }
    assert!(!read(&morning(&[low, signs, ill], &[])).contains('?'));
    assert!(!read(&morning(&[], &[])).contains('?'));
}

#[test]
fn who_says_that_they_feel_bad_is_heard_and_not_asked_again() {
    let low = (FactName::RecoveryBand, word(FactWord::Recovery(RecoveryBand::Low)));
    let feels = |added| (FactName::RecoveryFromFeel, FactValue::Number(added));
    let tempo = (FactName::TodaySessionKind, word(FactWord::Kind(WorkoutKind::Tempo)));
    let waits = (FactName::ProposalWaiting, FactValue::Text(FactText::new("proposal 5").unwrap()));
    let text = read(&morning(&[low.clone(), feels(-0.4), tempo.clone(), waits], &[]));
    assert!(text.contains("You said that you do not feel good today"), "{text}");
    assert!(text.contains("Waiting for your decision: proposal 5."), "{text}");
    assert!(!text.contains('?') && !text.contains("enjoy it"), "{text}");
    let text = read(&morning(&[low, feels(0.4), tempo], &[]));
    assert!(!text.contains('?') && !text.contains("You said"), "they feel fine, and said so: {text}");
}
