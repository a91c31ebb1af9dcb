//! The built-in coach keeps the contract whatever the facts are, and says what they say.

use super::brief;
use super::fixtures::{any_facts, facts, typical_facts};
use fitness_core::adherence::grade::Verdict;
use fitness_core::domain::observation::AbsenceReason;
use fitness_core::domain::units::{TimeSpan, UnitSystem};
use fitness_core::facts::{FactName, FactText, FactValue, FactWord, Facts};
use fitness_core::llm_output::brief::{Metric, Tone, check_brief};
use fitness_core::metrics::fitness::{FormBand, RampBand};
use fitness_core::metrics::recovery::RecoveryBand;
use fitness_core::metrics::recovery::illness::IllnessSigns;
use fitness_core::metrics::{MissingReason, Quality};
use fitness_core::plan::WorkoutKind;
use proptest::prelude::*;

fn render_brief(facts: &Facts) -> String {
    let briefing = brief(facts);
    check_brief(&briefing, facts).unwrap_or_else(|faults| panic!("{}\n{faults:#?}", briefing.body));
    briefing.render(facts, UnitSystem::Metric).unwrap()
}

fn word_value(word: FactWord) -> FactValue {
    FactValue::Word(word)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn whatever_the_facts_are_the_brief_keeps_the_contract(facts in any_facts()) {
        let briefing = brief(&facts);
        let checked = check_brief(&briefing, &facts);
        prop_assert!(checked.is_ok(), "{}\n{:#?}", briefing.body, checked);
        prop_assert!(briefing.render(&facts, UnitSystem::Imperial).is_ok());
        prop_assert_eq!(brief(&facts), briefing);
    }
}

#[test]
fn brief_without_facts_says_there_is_no_data() {
    let nothing = facts(|_| None, &MissingReason::NotYet);
    assert_eq!(
        render_brief(&nothing),
        "There is no data on your recovery today, as none has arrived. There is no data on last night's sleep, as none has \
         arrived. There is no data on your training load, as none has arrived. Import or sync something, and this page will \
         have more to say."
    );
    let briefing = brief(&nothing);
    assert_eq!((briefing.metrics, briefing.tone), (vec![], Tone::Neutral));
}

#[test]
fn with_a_plan_it_opens_with_the_session_its_state_and_the_last_verdict() {
    let text = render_brief(&typical_facts(&[], &[]));
    assert!(
        text.starts_with(
            "4x1 km @ 5K today, 2.0 km. It is still pending. On Tue 9 Jun you did what Easy 8 asked of you: hit."
        ),
        "{text}"
    );
    assert!(text.contains("Your Easy 8 is 20 days away."), "{text}");
    assert_eq!(brief(&typical_facts(&[], &[])).metrics, Metric::ALL);
    assert_eq!(brief(&typical_facts(&[], &[])).tone, Tone::Encouraging);
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
    let text = render_brief(&typical_facts(&[], &plan));
    assert!(text.starts_with("Recovery is 20 this morning"), "{text}");
    assert!(!text.contains("plan") && !text.contains("ession"), "{text}");
}

#[test]
fn sentences_follow_from_the_facts() {
    let state = |verdict| (FactName::TodayWorkoutVerdict, word_value(FactWord::Verdict(verdict)));
    let last = |verdict| (FactName::LastVerdict, word_value(FactWord::Verdict(verdict)));
    let form = |band| (FactName::FormBand, word_value(FactWord::Form(band)));
    let kind = |kind| (FactName::TodayWorkoutKind, word_value(FactWord::Kind(kind)));
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
            vec![
                state(Verdict::Missed),
                (FactName::AbsenceToday, word_value(FactWord::Mark(AbsenceReason::Away))),
            ],
            vec![],
            "did not happen: missed, but excused",
        ),
        (vec![], vec![FactName::TodayWorkoutDistance], "4x1 km @ 5K today, 20 min."),
        (
            vec![],
            vec![FactName::TodayWorkoutDistance, FactName::TodayWorkoutTime],
            "4x1 km @ 5K today. It is still pending.",
        ),
        (vec![], vec![FactName::TodayWorkoutVerdict], "4x1 km @ 5K today."),
        (vec![], vec![FactName::TodayWorkout], "Your plan has nothing for today"),
        (vec![last(Verdict::Short)], vec![], "a part of Easy 8: short"),
        (vec![last(Verdict::Missed)], vec![], "not caught up on"),
        (vec![last(Verdict::Missed)], vec![FactName::LastGradedDay], "Your last judged day was missed."),
        (
            vec![(FactName::LastAbsence, word_value(FactWord::Mark(AbsenceReason::Away)))],
            vec![],
            "You were away then",
        ),
        (
            vec![(FactName::AbsenceToday, word_value(FactWord::Mark(AbsenceReason::Ill)))],
            vec![],
            "getting well goes before",
        ),
        (
            vec![(FactName::AbsenceToday, word_value(FactWord::Mark(AbsenceReason::Injured)))],
            vec![],
            "healing goes before",
        ),
        (
            vec![(FactName::AbsenceToday, word_value(FactWord::Mark(AbsenceReason::Away)))],
            vec![],
            "training can wait",
        ),
        (
            vec![(FactName::PendingProposals, FactValue::Text(FactText::new("proposal 5").unwrap()))],
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
            vec![(FactName::RecoveryBand, word_value(FactWord::Recovery(RecoveryBand::Middle)))],
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
        (
            vec![(FactName::RampBand, word_value(FactWord::Ramp(RampBand::Steep)))],
            vec![],
            "climbing fast (steep)",
        ),
        (
            vec![(FactName::RampBand, word_value(FactWord::Ramp(RampBand::Hard)))],
            vec![],
            "takes care to keep up (hard)",
        ),
    ] {
        let text = render_brief(&typical_facts(&given, &without));
        assert!(text.contains(says), "{says:?} is not in: {text}");
    }
}

/// A form of weeks ago is no balance of today.
#[test]
fn stale_facts_are_written_in_the_past_tense() {
    let balanced = typical_facts(&[(FactName::FormBand, word_value(FactWord::Form(FormBand::Neutral)))], &[]);
    assert!(render_brief(&balanced).contains("in balance"));
    let mut known = balanced.known().to_vec();
    known.iter_mut().filter(|fact| fact.id.as_str() == "form").for_each(|fact| {
        fact.quality = Quality::EstimatedStale;
    });
    let text = render_brief(&Facts::new(known, Vec::new()).unwrap());
    assert!(text.contains("When your data ended, form was") && !text.contains("in balance"), "{text}");
}

#[test]
fn device_signs_raise_a_question_until_the_athlete_reports() {
    let low = (FactName::RecoveryBand, word_value(FactWord::Recovery(RecoveryBand::Low)));
    let tempo = (FactName::TodayWorkoutKind, word_value(FactWord::Kind(WorkoutKind::Tempo)));
    let signs = (FactName::SignsOfIllness, word_value(FactWord::Illness(IllnessSigns::OneDay)));
    let ill = (FactName::AbsenceToday, word_value(FactWord::Mark(AbsenceReason::Ill)));
    let easy = (FactName::TodayWorkoutKind, word_value(FactWord::Kind(WorkoutKind::Easy)));
    let unasked = [FactName::RecoveryFromFeel];
    for (given, asked) in [
        (vec![low.clone(), tempo], "how do you feel about a hard session today?"),
        (vec![low.clone(), easy], "how do you feel today?"),
        (vec![signs.clone()], "do you feel ill"),
    ] {
        let facts = typical_facts(&given, &unasked);
        assert!(render_brief(&facts).contains(asked), "{}", render_brief(&facts));
        assert_eq!(brief(&facts).tone, Tone::Neutral);
    }
    assert!(!render_brief(&typical_facts(&[low, signs, ill], &[])).contains('?'));
    assert!(!render_brief(&typical_facts(&[], &[])).contains('?'));
}

#[test]
fn low_feeling_is_acknowledged_without_a_question() {
    let low = (FactName::RecoveryBand, word_value(FactWord::Recovery(RecoveryBand::Low)));
    let feels = |added| (FactName::RecoveryFromFeel, FactValue::Number(added));
    let tempo = (FactName::TodayWorkoutKind, word_value(FactWord::Kind(WorkoutKind::Tempo)));
    let waits = (FactName::PendingProposals, FactValue::Text(FactText::new("proposal 5").unwrap()));
    let text = render_brief(&typical_facts(&[low.clone(), feels(-0.4), tempo.clone(), waits], &[]));
    assert!(text.contains("You said that you do not feel good today"), "{text}");
    assert!(text.contains("Waiting for your decision: proposal 5."), "{text}");
    assert!(!text.contains('?') && !text.contains("enjoy it"), "{text}");
    let text = render_brief(&typical_facts(&[low, feels(0.4), tempo], &[]));
    assert!(!text.contains('?') && !text.contains("You said"), "they feel fine, and said so: {text}");
}
