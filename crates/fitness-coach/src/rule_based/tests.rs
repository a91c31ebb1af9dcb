//! Tests of the built-in coach's brief: valid for any facts, and the right sentence for each.

use super::brief;
use super::fixtures::{any_facts, facts, typical_facts};
use fitness_core::adherence::grade::Verdict;
use fitness_core::domain::observation::AbsenceReason;
use fitness_core::domain::units::{TimeSpan, UnitSystem};
use fitness_core::facts::{FactName, FactText, FactValue, FactWord, Facts};
use fitness_core::llm_output::brief::{Metric, Tone, check_brief};
use fitness_core::metrics::fitness::{FormBand, RampBand};
use fitness_core::metrics::recovery::RecoveryBand;
use fitness_core::metrics::recovery::illness::IllnessSignDuration;
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
    fn brief_from_any_facts_is_valid(facts in any_facts()) {
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
        "There is no sleep, recovery or training load data yet today. Import or sync your data to see more here."
    );
    let briefing = brief(&nothing);
    assert_eq!((briefing.metrics, briefing.tone), (vec![], Tone::Neutral));
}

#[test]
fn with_a_plan_it_opens_with_the_session_its_state_and_the_last_verdict() {
    let text = render_brief(&typical_facts(&[], &[]));
    assert!(
        text.starts_with(
            "4x1 km @ 5K today, 2.0 km. Today's workout is still to come. You completed the Easy 8 on Tue 9 Jun."
        ),
        "{text}"
    );
    assert!(text.contains("Easy 8 in 20 days."), "{text}");
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
        (vec![state(Verdict::Hit)], vec![], "You completed today's 4x1 km @ 5K."),
        (vec![state(Verdict::Rest)], vec![], "Your plan for today is 4x1 km @ 5K: a rest day."),
        (vec![state(Verdict::Rest), kind(WorkoutKind::Rest)], vec![], "Today is a rest day. "),
        (
            vec![state(Verdict::Pending), kind(WorkoutKind::Rest)],
            vec![],
            "Today is a rest day. You completed",
        ),
        (vec![state(Verdict::Pending), kind(WorkoutKind::Rest)], vec![], "Enjoy the rest."),
        (vec![kind(WorkoutKind::Race)], vec![], "Race day: 4x1 km @ 5K. The race is still to come."),
        (vec![(FactName::DaysToRace, number(0.0))], vec![], "Race day: Easy 8."),
        (vec![state(Verdict::NotStarted)], vec![], "but your plan has not started yet."),
        (vec![state(Verdict::Short)], vec![], "You partly completed today's 4x1 km @ 5K."),
        (vec![state(Verdict::Missed)], vec![], "You missed today's 4x1 km @ 5K."),
        (
            vec![
                state(Verdict::Missed),
                (FactName::AbsenceToday, word_value(FactWord::Mark(AbsenceReason::Away))),
            ],
            vec![],
            "You missed today's 4x1 km @ 5K, but it doesn't count against you because you are away.",
        ),
        (vec![], vec![FactName::TodayWorkoutDistance], "4x1 km @ 5K today, 20 min."),
        (
            vec![],
            vec![FactName::TodayWorkoutDistance, FactName::TodayWorkoutTime],
            "4x1 km @ 5K today. Today's workout is still to come.",
        ),
        (vec![], vec![FactName::TodayWorkoutVerdict], "4x1 km @ 5K today."),
        (vec![], vec![FactName::TodayWorkout], "Nothing is planned for today."),
        (vec![last(Verdict::Short)], vec![], "You partly completed the Easy 8 on Tue 9 Jun."),
        (
            vec![last(Verdict::Missed)],
            vec![],
            "You missed the Easy 8 on Tue 9 Jun. There is no need to make it up.",
        ),
        (vec![last(Verdict::Missed)], vec![FactName::LastGradedDay], "You missed your last workout."),
        (
            vec![(FactName::LastAbsence, word_value(FactWord::Mark(AbsenceReason::Away)))],
            vec![],
            "You were away then",
        ),
        (
            vec![(FactName::AbsenceToday, word_value(FactWord::Mark(AbsenceReason::Ill)))],
            vec![],
            "getting well comes first",
        ),
        (
            vec![(FactName::AbsenceToday, word_value(FactWord::Mark(AbsenceReason::Injured)))],
            vec![],
            "healing comes first",
        ),
        (
            vec![(FactName::AbsenceToday, word_value(FactWord::Mark(AbsenceReason::Away)))],
            vec![],
            "training can wait",
        ),
        (
            vec![(FactName::PendingProposals, FactValue::Text(FactText::new("proposal 5").unwrap()))],
            vec![],
            "You still need to decide on proposal 5.",
        ),
        (vec![(FactName::RecoveryFromSleep, number(-0.4))], vec![], "Sleep lowered your recovery the most."),
        (vec![(FactName::RecoveryFromHrv, number(0.6))], vec![], "HRV raised your recovery the most"),
        (
            vec![(FactName::RecoveryBand, word_value(FactWord::Recovery(RecoveryBand::Middle)))],
            vec![],
            "Recovery is 20 this morning (moderate).",
        ),
        (vec![], vec![FactName::RecoveryBand], "Recovery is 20 this morning."),
        (vec![(FactName::RestingHeartRateFromUsual, number(6.0))], vec![], "(usually 20 bpm)"),
        (vec![(FactName::SleepFromUsual, number(45.0))], vec![], "more than your usual"),
        (vec![(FactName::SleepFromUsual, number(-45.0))], vec![], "less than your usual"),
        (vec![(FactName::SleepFromUsual, number(-45.0))], vec![FactName::SleepUsual], "less than usual."),
        (vec![], vec![FactName::SleepFromUsual], "You slept 20 min."),
        (vec![], vec![FactName::SleepLastNight], "There is no sleep data yet today."),
        (
            vec![(FactName::SleepDebt14Days, FactValue::Time(TimeSpan::from_mins(400)))],
            vec![],
            "Your recent sleep debt is 6h 40m.",
        ),
        (vec![(FactName::Runs7Days, number(0.0))], vec![], "You didn't run in the last week."),
        (vec![form(FormBand::HighStrain)], vec![], "carrying a lot of fatigue"),
        (vec![form(FormBand::Neutral)], vec![], "in balance"),
        (vec![form(FormBand::Fresh)], vec![], "rested and ready"),
        (vec![form(FormBand::Transition)], vec![], "starting to fade"),
        (vec![], vec![FactName::FormBand], "fitness minus fatigue"),
        (vec![], vec![FactName::FormBand, FactName::Form], "Yesterday's training load was"),
        (
            vec![(FactName::RampBand, word_value(FactWord::Ramp(RampBand::Steep)))],
            vec![],
            "rising fast, so keep",
        ),
        (vec![(FactName::RampBand, word_value(FactWord::Ramp(RampBand::Hard)))], vec![], "hard to sustain."),
    ] {
        let text = render_brief(&typical_facts(&given, &without));
        assert!(text.contains(says), "{says:?} is not in: {text}");
    }
}

#[test]
fn stale_facts_are_written_in_the_past_tense() {
    let neutral = (FactName::FormBand, word_value(FactWord::Form(FormBand::Neutral)));
    let balanced = |without: &[FactName]| typical_facts(std::slice::from_ref(&neutral), without);
    assert!(render_brief(&balanced(&[])).contains("in balance"));
    let stale = |facts: &Facts| {
        let mut known = facts.known().to_vec();
        known.iter_mut().filter(|fact| fact.id.as_str() == "form").for_each(|fact| {
            fact.quality = Quality::EstimatedStale;
        });
        render_brief(&Facts::new(known, facts.missing().to_vec()).unwrap())
    };
    // Yesterday is not complete.
    let text = stale(&balanced(&[FactName::LoadYesterday]));
    assert!(text.contains("On the last day with data, form was") && !text.contains("in balance"), "{text}");
    // Yesterday is complete, so only the threshold is old.
    let text = stale(&balanced(&[]));
    assert!(
        text.contains("the threshold behind it is old") && !text.contains("last day with data"),
        "{text}"
    );
    assert!(!text.contains("in balance"), "{text}");
}

#[test]
fn device_signs_raise_a_question_until_the_athlete_reports() {
    let low = (FactName::RecoveryBand, word_value(FactWord::Recovery(RecoveryBand::Low)));
    let tempo = (FactName::TodayWorkoutKind, word_value(FactWord::Kind(WorkoutKind::Tempo)));
    let signs = (FactName::SignsOfIllness, word_value(FactWord::Illness(IllnessSignDuration::OneDay)));
    let ill = (FactName::AbsenceToday, word_value(FactWord::Mark(AbsenceReason::Ill)));
    let easy = (FactName::TodayWorkoutKind, word_value(FactWord::Kind(WorkoutKind::Easy)));
    let unasked = [FactName::RecoveryFromFeel];
    for (given, asked) in [
        (vec![low.clone(), tempo], "how do you feel about a hard workout today?"),
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
    assert!(text.contains("You said that you do not feel well today"), "{text}");
    assert!(text.contains("You still need to decide on proposal 5."), "{text}");
    assert!(!text.contains('?') && !text.contains("enjoy it"), "{text}");
    let text = render_brief(&typical_facts(&[low, feels(0.4), tempo], &[]));
    assert!(!text.contains('?') && !text.contains("You said"), "they feel fine, and said so: {text}");
}
