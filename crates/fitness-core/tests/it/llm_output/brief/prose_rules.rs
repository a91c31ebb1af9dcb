//! Claims a brief must not make: a change nobody made, easing nobody asked for, statements without
//! a fact.

use super::fixtures::facts_for;
use super::{RECOVERY_ONLY, brief};
use fitness_core::llm_output::ValidationErrorCode;
use fitness_core::llm_output::brief::{Briefing, Tone, check_brief};
use std::collections::BTreeSet;

/// The opening every brief with a plan has, and a question.
const OPENING: &str = "Today: {{today_session}}, {{today_session_state}}. Before: {{last_verdict}}. Recovery is {{recovery}}. How do you feel?";

#[test]
fn a_device_alone_eases_nothing_and_the_athletes_word_does() {
    for sentence in [
        "Skip it today.",
        "Cut it short and run easy instead.",
        "Swap it for a rest day.",
        "Ease off, since your watch says you are tired.",
        "Take it easy today.",
        "An easier day would be wise.",
        "Rest today.",
        "A walk is enough.",
        "If you are tired, drop the intervals.",
        "Would you rather postpone it?",
        "Back off a little.",
        "Stay in bed.",
        "Shorten {{today_session}}.",
        "Make today a day off.",
        "Keep it easy.",
        "Treat today as recovery.",
        "Your watch shows strain, so jog the hard parts.",
        "Leave the fast bits out.",
        "Lose the quick ones.",
        "Float through it, and walk the rest.",
        "Soften the hard efforts.",
        "Use today for recovery.",
        "Just jog along.",
    ] {
        let body = format!("{OPENING} {sentence}");
        assert_eq!(
            brief("tired", RECOVERY_ONLY, &body),
            [ValidationErrorCode::UnrequestedEasing],
            "{sentence}"
        );
        assert_eq!(
            brief("plan", RECOVERY_ONLY, &body),
            [ValidationErrorCode::UnrequestedEasing],
            "{sentence}"
        );
        assert_eq!(brief("sore", RECOVERY_ONLY, &body), [], "they said that they feel bad: {sentence}");
        let linked = format!("{body} {{{{proposal_waiting}}}} waits for you.");
        assert_eq!(brief("ill", RECOVERY_ONLY, &linked), [], "they marked it: {sentence}");
    }
    let briefing = Briefing {
        metrics: RECOVERY_ONLY.to_vec(),
        tone: Tone::Neutral,
        body: format!("{OPENING} Skip it today."),
    };
    let faults = check_brief(&briefing, &facts_for("tired")).unwrap_err();
    assert!(faults[0].message.contains("How do you feel?"), "the repair is told what to write: {faults:?}");
}

#[test]
fn wording_close_to_easing_or_a_change_is_accepted() {
    for (world, sentence) in [
        ("easy", "Keep it easy today."),
        ("easy", "An easy run is all there is to do."),
        ("easy", "Take it easy, as the plan says."),
        ("rest", "It is a rest day, so put your feet up."),
        ("rest", "Enjoy the day off."),
        ("free", "Your plan is empty, so rest well."),
        ("tired", "Start easy, and let the legs come."),
        ("tired", "Do not skip the warm-up."),
        ("tired", "There is no reason to cut it short."),
        ("tired", "Your heart rate has dropped, and the night was shorter than usual."),
        ("tired", "Let the easy days be easy."),
        ("tired", "Drop the shoulders and breathe."),
        ("tired", "Yesterday was an easy day."),
        ("tired", "Over the last week you did well, and the week before was calm."),
        ("tired", "The tempo is meant to be hard."),
        ("tired", "Nothing shows signs of illness."),
        ("tired", "If you are ill, say so."),
        ("tired", "Nothing in your plan was changed."),
        ("tired", "Your body has adapted to the work."),
        ("tired", "Rest is training too."),
        ("plan", "The legs will feel lighter after the warm-up."),
        ("tired", "Run the hard parts by feel."),
        ("tired", "Save some strength for the fast bits."),
        ("tired", "Jog a while to warm up."),
        ("tired", "Walk between the hard parts, as the session asks."),
        ("tired", "Fitness is slowly coming."),
        ("tired", "Your form rises slowly."),
        ("tired", "The hard parts are short and sweet."),
        ("tired", "Enjoy the quick bits, and hold the fast ones together."),
        ("tired", "A walk was all there was yesterday."),
    ] {
        let opening = if world == "free" {
            "Nothing is planned for today. Before: {{last_verdict}}. Recovery is {{recovery}}."
        } else {
            OPENING
        };
        assert_eq!(brief(world, RECOVERY_ONLY, &format!("{opening} {sentence}")), [], "{sentence}");
    }
}

/// With a plan, a brief speaks of today and of what was: nobody told it of anything else.
#[test]
fn claims_without_a_fact_are_refused() {
    for sentence in [
        "Tomorrow will be a rest day.",
        "Your hills tomorrow are off the calendar.",
        "Your week got lighter overnight.",
        "The rest of the week looks calm.",
        "This week is kind to you.",
        "Next week will be kinder.",
        "The draft for the marathon is in force.",
        "Sunday is free.",
        "The weekend is all yours.",
        "Your long run has a new home.",
    ] {
        for world in ["plan", "easy", "tired", "sore"] {
            let found = brief(world, RECOVERY_ONLY, &format!("{OPENING} {sentence}"));
            let refused = matches!(
                found.as_slice(),
                [ValidationErrorCode::ClaimsChange] | [ValidationErrorCode::UnrequestedEasing]
            );
            assert!(refused, "{world}: {sentence} {found:?}");
        }
    }
    assert_eq!(
        brief("easy", RECOVERY_ONLY, &format!("{OPENING} The hills are off the calendar.")),
        [ValidationErrorCode::ClaimsChange]
    );
    for sentence in ["Give the legs a day off.", "Make it a rest day.", "Full rest is best."] {
        assert_eq!(
            brief("easy", RECOVERY_ONLY, &format!("{OPENING} {sentence}")),
            [ValidationErrorCode::UnrequestedEasing],
            "{sentence}"
        );
        assert_eq!(
            brief("rest", RECOVERY_ONLY, &format!("{OPENING} {sentence}")),
            [],
            "it is one: {sentence}"
        );
    }
    for sentence in ["You have a fever.", "You are ill.", "Your body fights an infection."] {
        assert_eq!(
            brief("tired", RECOVERY_ONLY, &format!("{OPENING} {sentence}")),
            [ValidationErrorCode::MustAsk],
            "{sentence}"
        );
        let linked = format!("{OPENING} {sentence} {{{{proposal_waiting}}}} waits for you.");
        assert_eq!(brief("ill", RECOVERY_ONLY, &linked), [], "they marked it: {sentence}");
    }
    for sentence in ["Your heart rate variability has collapsed.", "Your fitness has soared."] {
        assert_eq!(
            brief("tired", RECOVERY_ONLY, &format!("{OPENING} {sentence}")),
            [ValidationErrorCode::UngroundedNumber],
            "{sentence}"
        );
    }
}

#[test]
fn claim_of_a_change_is_refused() {
    for sentence in [
        "The coach replaced it with a walk.",
        "An easier version has replaced it.",
        "Today is a rest day now.",
        "Consider it shortened.",
        "Tomorrow's session is gone.",
        "{{proposal_waiting}} is accepted.",
        "{{proposal_waiting}} makes the week easier.",
        "You moved the run to Friday.",
    ] {
        let waiting = if sentence.contains("proposal") { "" } else { " {{proposal_waiting}} waits for you." };
        let found: BTreeSet<ValidationErrorCode> =
            brief("ill", RECOVERY_ONLY, &format!("{OPENING}{waiting} {sentence}")).into_iter().collect();
        assert_eq!(found, BTreeSet::from([ValidationErrorCode::ClaimsChange]), "{sentence}");
    }
}
