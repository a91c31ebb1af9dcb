//! A day that cannot be read is asked for, and what was spoken of before is what `it` is.

use super::*;

#[test]
fn a_day_that_cannot_be_read_is_asked_for() {
    for text in [
        "skip 2026-11-31",
        "skip thurday",
        "skip tommorow",
        "skip 19.11.2026",
        "skip 19.11.",
        "skip 11/19",
        "skip 2026/11/19",
        "skip 31 November",
        "skip november 31st",
        "skip the 31st of November",
        "skip christmas",
        "skip w48",
        "skip my birthday",
        "skip the hard session",
        "skip lunch",
        "I always skip breakfast",
        "drop me a line",
        "I want an easier life",
        "make the third one shorter",
        "the second one, please skip",
        "thurday is full, skip it",
        "christmas is coming, skip it",
        "11/19 is full, skip it",
        "the 31 November is full, skip it",
        "should I skip christmas?",
        "should I skip thurday?",
        "skip it and my birthday",
    ] {
        assert!(matches!(read(text), Intent::Unsure { .. }), "{text}: {:?}", read(text));
    }
}

#[test]
fn without_a_day_it_is_today_only_where_nothing_else_is_said() {
    for text in [
        "skip",
        "skip it",
        "Skip it, please.",
        "please skip my run",
        "can you skip this session?",
        "I want to skip it",
        "skip it because I am tired",
        "skip it, I have no time",
        "I'd like to skip my workout",
    ] {
        assert_eq!(read(text), skip(&["2026-06-09"]), "{text}");
    }
    for text in
        ["make it easier", "make it a bit easier please", "could you make my run less hard?", "ease it"]
    {
        assert_eq!(read(text), easier(&["2026-06-09"]), "{text}");
    }
    for text in ["make it shorter", "make it 20 minutes shorter", "shorten my run by 2 km"] {
        assert_eq!(read(text), wanted(Less::Shorter, &["2026-06-09"]), "{text}");
    }
    assert_eq!(read("should I skip it?"), Intent::Should { days: vec![today()] });
}

fn athlete(text: &str) -> Message {
    Message::Program { parts: vec![UserPart::Text { text: text.to_owned() }] }
}

fn coach(name: &str, text: &str) -> Message {
    Message::Model { name: name.to_owned(), parts: vec![ModelPart::Text { text: text.to_owned() }] }
}

#[test]
fn it_is_what_was_spoken_of_before() {
    let after = |asked: &str, answer: &str, text: &str| {
        let before = Before::of(&[athlete(asked), coach(NAME, answer)], today());
        Intent::after(text, today(), &before)
    };
    let thursday = "Thu 2026-06-11 has 5 × 1 km, 10.0 km. Recovery is 31 this morning (low).";
    for (text, intent) in [
        ("skip it", skip(&["2026-06-11"])),
        ("make it easier", easier(&["2026-06-11"])),
        ("skip today", skip(&["2026-06-09"])),
        ("skip tomorrow", skip(&["2026-06-10"])),
        ("skip lunch", Intent::Unsure { doubt: Doubt::NoDay }),
    ] {
        assert_eq!(after("should I skip Thursday?", thursday, text), intent, "{text}");
    }
    let ask = Intent::Unsure { doubt: Doubt::NoDay };
    let two = replies::unsure(Doubt::OneOf("2026-06-10".parse().unwrap(), "2026-06-17".parse().unwrap()));
    assert_eq!(after("skip next Wednesday", &two, "the second one, please skip"), ask);
    assert_eq!(after("skip next Wednesday", &two, "skip it"), ask);
    assert_eq!(after("what is next week?", "Next week:\n- Wed: Tempo, 8.0 km (ahead)", "skip it"), ask);
    assert_eq!(after("skip christmas", &replies::unsure(Doubt::NoDay), "skip it"), ask);
    assert_eq!(after("why was Wednesday a miss?", "Wed 2026-06-03 was Tempo.", "skip it"), ask);
    assert_eq!(after("today?", "Today: Easy run, 8.0 km (still ahead).", "skip it"), skip(&["2026-06-09"]));
    // Whoever else spoke, spoke of any day.
    let other = Before::of(&[athlete("and then?"), coach("other", "Thursday looks hard.")], today());
    assert_eq!(Intent::after("skip it", today(), &other), ask);
    assert_eq!(Before::of(&[], today()), Before::Nothing);
}
