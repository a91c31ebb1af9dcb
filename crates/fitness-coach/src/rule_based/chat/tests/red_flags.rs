//! Complaints that need a doctor say so, whatever the grammar.

use super::*;

#[tokio::test]
async fn a_red_flag_is_heard_however_it_is_said() {
    let kept = json!({ "status": "suggested", "review": "http://127.0.0.1:8787/notes" });
    for text in [
        "my chest hurts when I run",
        "I get chest pain when I run",
        "should I run with chest pain?",
        "what if my chest feels tight?",
        "If I run my chest hurts",
        "I had chest pain last week",
        "my chest hurts, skip today",
        "I don't know why I have this pain in my chest",
        "I broke my leg",
        "my foot is broken",
        "I think I have a stress fracture",
        "I fainted yesterday",
        "I passed out after the tempo",
        "I am short of breath when sitting",
        "I can't breathe properly",
        "my wife fainted",
        "can I train with palpitations?",
    ] {
        for answer in [Ok(kept.clone()), Err("Too many wait.")] {
            let (called, said) = converse(text, &[("suggest_observation", answer)]).await;
            assert!(said.contains("Stop training, and see a doctor"), "{text}: {said}");
            assert!(called.iter().all(|tool| tool == "suggest_observation"), "{text}: {called:?}");
        }
    }
}

#[test]
fn what_is_denied_or_no_complaint_is_no_red_flag() {
    for text in [
        "I have no chest pain",
        "I don't have chest pain",
        "I broke my record",
        "my watch is broken",
        "my stroke in the pool is better, why?",
        "my calf hurts",
        "I am ill",
    ] {
        assert!(!matches!(read(text), Intent::Alarm { .. }), "{text}");
    }
}

#[test]
fn what_hurts_on_the_run_is_a_complaint_and_no_thought() {
    for text in ["my knee hurts when I run", "my calf hurts if I go fast"] {
        assert!(matches!(read(text), Intent::Unwell { .. }), "{text}: {:?}", read(text));
    }
    for text in ["What if I get ill?", "what happens when I am ill", "If I am ill, tell me what happens"] {
        assert_eq!(read(text), Intent::IfUnwell, "{text}");
    }
    assert_eq!(read("I'm sick and tired of rain"), Intent::Unclear);
}
