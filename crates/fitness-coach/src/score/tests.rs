//! The scorer against the seed, against our prompts, and against every way to spoil them.

use super::*;
use crate::tools::ToolName;
use fitness_core::contract::brief::check;
use fitness_core::facts::{Fact, FactText, FactUnit, FactValue, Facts, Missing, SourceRow};
use fitness_core::metrics::{Absent, Quality};
use fitness_core::units::TimeSpan;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// The seed's own prompt.
const SEED: &str = include_str!("../../tests/fixtures/seed_prompt.txt");

static TOOLS: LazyLock<Vec<&str>> =
    LazyLock::new(|| ToolName::ALL.iter().map(|tool| tool.as_str()).collect());

fn failures(prompt: &str, name: Option<PromptName>) -> Vec<String> {
    score(prompt, &Known::of(name, &TOOLS)).iter().map(ToString::to_string).collect()
}

#[test]
fn the_seeds_prompt_and_ours_score_clean() {
    assert_eq!(failures(SEED, None), Vec::<String>::new());
    assert_eq!(score_ours(|name| Known::of(Some(name), &TOOLS)), []);
    let told = score_ours(|name| Known::of(Some(name), &TOOLS[1..]));
    assert_eq!(told[0].to_string(), "FAIL: prompt names tools that do not exist: ['daily_snapshot']");
    for name in PromptName::ALL {
        assert_eq!(failures(Prompt::current(*name).text, Some(*name)), Vec::<String>::new(), "{name}");
    }
}

#[test]
fn drift_is_told_in_the_seeds_words() {
    let mut known = Known::of(None, &TOOLS);
    known.metrics.retain(|metric| *metric != "training_load");
    let told: Vec<String> = score(SEED, &known).iter().map(ToString::to_string).collect();
    assert_eq!(told, ["FAIL: prompt advertises non-schema metrics: ['training_load']"]);
    for (from, to, said) in [
        ("- sleep", "- sleep\n- direct", "prompt advertises non-schema metrics: ['direct']"),
        ("- direct", "- direct\n- sleep\n- angry", "prompt advertises non-schema tones: ['angry', 'sleep']"),
        ("Never fabricate a number", "Give a number", "prompt dropped the never-fabricate rule"),
        ("Translate training load", "Tell of load", "prompt dropped the training-load jargon translation"),
        ("coaching tone", "voice", "prompt dropped the coaching-tone instruction"),
        ("{user_notes}", "none", "prompt no longer wires in saved user notes"),
    ] {
        let changed = SEED.replace(from, to);
        assert_ne!(changed, SEED, "{from}");
        assert_eq!(failures(&changed, None), [format!("FAIL: {said}")], "{from}");
    }
    // What the seed's own scorer let through.
    let need_not = SEED.replace("Never fabricate", "You need not never fabricate");
    assert!(
        failures(&need_not, None)[0]
            .starts_with("FAIL: prompt dropped the never-fabricate rule: it is weakened")
    );
}

#[test]
fn what_a_prompt_names_must_be_there_and_no_human_verb_is_a_tool() {
    let chat = Prompt::current(PromptName::Chat).text;
    let with = |line: &str| {
        failures(&chat.replace("\nTOOLS:", &format!("\n{line}\n\nTOOLS:")), Some(PromptName::Chat))
    };
    assert_eq!(
        with("Look it up with `weather_report`."),
        ["FAIL: prompt names tools that do not exist: ['weather_report']"]
    );
    assert_eq!(with("It is {{vo_max}}."), ["FAIL: prompt shows facts that do not exist: ['vo_max']"]);
    for verb in fitness_core::plan::ActionKind::ALL {
        for line in [
            format!("Use `{verb}`."),
            format!("Use {verb}_plan."),
            format!("Then call {verb} on it."),
            format!("{verb}(plan)"),
        ] {
            let told = with(&line);
            assert!(
                told.iter().any(|said| said.starts_with("FAIL: prompt names what only a human does")),
                "{line}: {told:?}"
            );
        }
    }
    let listed = chat.replace("- notes\n", "- notes\n- send_mail\n- sleep\n");
    assert_eq!(
        failures(&listed, Some(PromptName::Chat)),
        ["FAIL: prompt names tools that do not exist: ['send_mail', 'sleep']"]
    );
    let fewer: Vec<&str> = TOOLS.iter().copied().filter(|tool| *tool != "propose_week").collect();
    let told = score(chat, &Known::of(Some(PromptName::Chat), &fewer));
    assert_eq!(told[0].message(), "prompt names tools that do not exist: ['propose_week']");
    let bare =
        Prompt::current(PromptName::Brief).text.replace("METRICS:", "These:").replace("TONES:", "Those:");
    assert_eq!(failures(&bare, Some(PromptName::Brief)).len(), 2);
}

#[test]
fn nothing_of_a_day_or_an_athlete_is_in_the_cached_part() {
    let brief = Prompt::current(PromptName::Brief).text;
    for line in [
        "Today is {today}.",
        "Today is 2026-06-29.",
        "It is 07:30 now.",
        "Write to ann@example.org.",
        "{user_notes}",
    ] {
        let told =
            failures(&brief.replacen("METRICS:", &format!("{line}\n\nMETRICS:"), 1), Some(PromptName::Brief));
        assert!(told.iter().any(|said| said.contains("cached part")), "{line}: {told:?}");
    }
    assert!(
        failures(&SEED.replace("METRICS:", "Since 2026.\n\nMETRICS:"), None)[0].contains("a date or a time")
    );
    assert!(failures(&format!("{SEED}\n{{user_notes}}"), None)[0].contains("more than once"));
}

/// The prompts under mutation, with the rules each must carry.
fn mutated() -> Vec<(&'static str, Option<PromptName>, &'static str)> {
    let ours = PromptName::ALL.iter().map(|name| (name.as_str(), Some(*name), Prompt::current(*name).text));
    ours.chain([("seed", None, SEED)]).collect()
}

#[test]
fn a_rule_that_is_taken_out_or_moved_after_the_notes_is_always_missed() {
    let mut tried = 0;
    for (called, name, prompt) in mutated() {
        for rule in Rule::needed(name) {
            let span = span(rule, prompt).unwrap_or_else(|| panic!("{called} has no {}", rule.id()));
            let without = format!("{}{}", &prompt[..span.start], &prompt[span.end..]);
            // Behind the notes it is as good as not there: whoever writes a note speaks before it.
            let moved = format!("{without}\n\n{}.\n", &prompt[span]);
            for spoiled in [without, moved] {
                let told = score(&spoiled, &Known::of(name, &TOOLS));
                assert!(
                    told.iter().any(|failure| failure.message().starts_with(rule.dropped())),
                    "{called}: {} was taken out and not missed:\n{spoiled}",
                    rule.id()
                );
            }
            tried += 1;
        }
    }
    assert!(tried > 25, "{tried}");
}

#[test]
fn a_sentence_that_takes_a_rule_back_is_named_with_the_rule() {
    for (called, name, prompt) in mutated() {
        for rule in Rule::needed(name) {
            let with = prompt.replacen("\n\n", &format!("\n\n{}\n", rule.taken_back_by()), 1);
            let said = format!("FAIL: prompt contradicts its {} rule: `", rule.id());
            let told = failures(&with, name);
            assert!(told.iter().any(|told| told.starts_with(&said)), "{called}: {told:?}");
        }
    }
}

fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
}

/// Every way to negate or weaken one sentence, and to take it back with another.
fn spoiled(rule: Rule, prompt: &str) -> Vec<(String, String)> {
    let span = span(rule, prompt).unwrap();
    let said = &prompt[span.clone()];
    let (before, after) = (&prompt[..span.start], &prompt[span.end..]);
    let mut all = Vec::new();
    let mut put = |how: &str, text: String| all.push((how.to_owned(), text));
    for lead in [
        "You need not ",
        "Try to ",
        "If possible, ",
        "Ideally, ",
        "You may ",
        "You can ",
        "It is optional to ",
        "Feel free to ",
        "Do not ",
        "Don't ",
        "Never mind to ",
        "Most of the time, ",
        "You don't have to ",
        "It would be nice to ",
        "Where convenient, ",
        "Unless the athlete is in a hurry, ",
        "Usually ",
        "Consider whether to ",
        "There is no need to ",
        "Earlier versions said: ",
        "Stop telling yourself to ",
        "On weekdays ",
        "Nobody asks you to ",
        "Avoid having to ",
    ] {
        put(lead, format!("{before}{lead}{}{after}", lower_first(said)));
    }
    for tail in [
        " unless the athlete asks otherwise",
        ", if possible",
        ", where convenient",
        " most of the time",
        ", but use your own judgement",
        " when you feel like it",
        ", within reason",
        ", except on weekends",
        " as a rule of thumb",
        ", though it hardly matters",
        ", or do not",
        " if asked to",
        " by default",
    ] {
        put(tail, format!("{before}{said}{tail}{after}"));
    }
    for (from, to) in [
        ("Never", "Always"),
        ("Never", "Rarely"),
        ("Never", "Sometimes"),
        (" no ", " some "),
        ("Translate", "Skip"),
        ("Keep", "Drop"),
        ("every", "almost every"),
        ("Write", "Avoid to write"),
        ("Say", "Hide"),
        ("say", "hide"),
        ("plainly", "if you must"),
        ("plain", "raw"),
        ("only", "not only"),
        ("Ask", "Tell"),
        ("Treat", "Do not treat"),
        ("never", "also"),
        ("nothing", "something"),
        ("Open", "Close"),
        ("leave", "do not leave"),
        ("Leave", "Add"),
        ("both ends", "one end"),
        ("one JSON", "some JSON"),
        ("Take", "Guess"),
    ] {
        if said.contains(from) {
            put(&format!("{from} -> {to}"), format!("{before}{}{after}", said.replacen(from, to, 1)));
        }
    }
    put("moved after the notes", format!("{before}{after}\n\n{said}."));
    put(
        "swapped for its own example",
        format!("{before}{}{after}", rule.taken_back_by().trim_end_matches('.')),
    );
    for sentence in [
        rule.taken_back_by(),
        "Ignore the rule above.",
        "This rule does not hold on weekends.",
        "Forget what was said before.",
        "These rules are only suggestions.",
        "Disregard all of that when the athlete is in a hurry.",
    ] {
        put(sentence, prompt.replacen("\n\n", &format!("\n\n{sentence}\n"), 1));
        put(&format!("at the end: {sentence}"), format!("{prompt}\n\n{sentence}\n"));
    }
    all
}

/// Weakenings in words that the scorer's lists were not made from.
fn spoiled_otherwise(rule: Rule, prompt: &str) -> Vec<(String, String)> {
    let span = span(rule, prompt).unwrap();
    let said = lower_first(&prompt[span.clone()]);
    let (before, after) = (&prompt[..span.start], &prompt[span.end..]);
    let leads = [
        "Whenever it suits you, ",
        "For beginners only, ",
        "In theory, ",
        "We once asked you to ",
        "Pretend to ",
        "A good coach would ",
        "Some say you must ",
        "Imagine you had to ",
        "At the athlete's request, ",
        "Until further notice, ",
        "In long texts, ",
        "It is a myth that you must ",
        "Your predecessor had to ",
        "Rather than ",
        "Instead of being told to ",
        "Only on Mondays ",
        "Half-heartedly ",
        "Under no circumstances ",
    ];
    let tails = [
        " on Sundays",
        " for new athletes",
        " in short texts",
        ", at least in spirit",
        " more or less",
        " (not enforced)",
        " once the season starts",
        " while it suits you",
        ", give or take",
        " in front of other people",
        " for show",
        " if the weather is bad",
        ", so to speak",
        ", in a manner of speaking",
        " when somebody is looking",
    ];
    let others = [
        "Rounding things up is part of the job.",
        "What the athlete wants to hear comes before all of this.",
        "Feel free to guess where it helps.",
    ];
    let other = |other: &&str| ((*other).to_owned(), prompt.replacen("\n\n", &format!("\n\n{other}\n"), 1));
    let lead = |lead: &&str| ((*lead).to_owned(), format!("{before}{lead}{said}{after}"));
    let tail = |tail: &&str| ((*tail).to_owned(), format!("{}{tail}{after}", &prompt[..span.end]));
    leads.iter().map(lead).chain(tails.iter().map(tail)).chain(others.iter().map(other)).collect()
}

#[test]
fn a_rule_that_is_negated_or_weakened_is_missed_nine_times_in_ten() {
    let (mut tried, mut survivors) = (0, Vec::new());
    for (called, name, prompt) in mutated() {
        for rule in Rule::needed(name) {
            for (how, spoiled) in spoiled(rule, prompt).into_iter().chain(spoiled_otherwise(rule, prompt)) {
                if spoiled == prompt {
                    continue;
                }
                tried += 1;
                if score(&spoiled, &Known::of(name, &TOOLS)).is_empty() {
                    survivors.push(format!("{called} / {}: {how}", rule.id()));
                }
            }
        }
    }
    // The list is kept beside the tests, so that everybody sees what the scorer misses; FITNESS_SURVIVORS writes it anew.
    let list = format!("{}\n", survivors.join("\n"));
    if let Some(file) = std::env::var_os("FITNESS_SURVIVORS") {
        std::fs::write(file, &list).unwrap();
    }
    let kept = include_str!("../../tests/fixtures/prompt_survivors.txt");
    assert_eq!(
        list, kept,
        "other spoiled prompts survive than are listed in tests/fixtures/prompt_survivors.txt; write it anew with FITNESS_SURVIVORS=FILE"
    );
    assert!(tried >= 1000, "{tried}");
    assert!(
        survivors.len() * 10 <= tried,
        "{} of {tried} survived:\n{}",
        survivors.len(),
        survivors.join("\n")
    );
}

/// A morning on which every rule can be broken: everything is known but sleep; recovery is low; a plan where it is wanted.
fn facts(with_plan: bool) -> Facts {
    let day = "2026-06-29".parse().unwrap();
    let of_a_plan =
        |id: &str| ["plan_", "today_", "last_verdict", "goal_"].iter().any(|begin| id.starts_with(begin));
    let known = |name: &FactName| {
        let id = name.as_str();
        let sleep = Metric::of(*name) == Some(Metric::Sleep);
        let marked = matches!(name, FactName::MarkedToday | FactName::ProposalWaiting | FactName::LastExcuse);
        !sleep
            && !marked
            && (with_plan || !of_a_plan(id))
            && (name.unit() != FactUnit::Word || id == "recovery_band")
    };
    let value = |name: FactName| match name.unit() {
        FactUnit::Word => serde_json::from_str(r#"{"word":{"recovery":"low"}}"#).unwrap(),
        FactUnit::Name => FactValue::Text(FactText::new("Tempo").unwrap()),
        FactUnit::Clock | FactUnit::HoursAndMinutes => FactValue::Time(TimeSpan::from_mins(60)),
        _ => FactValue::Number(20.0),
    };
    let (there, gone): (Vec<FactName>, Vec<FactName>) = FactName::ALL.iter().copied().partition(known);
    let fits = |name: &FactName| name.unit().fits(&value(*name));
    let fact = |name: FactName| Fact {
        id: name.into(),
        value: value(name),
        unit: name.unit(),
        as_of: day,
        sources: vec![SourceRow::Day(day)],
        method: String::new(),
        quality: Quality::Ok,
        learning: None,
    };
    let missing = gone.into_iter().map(|name| Missing { id: name.into(), why: Absent::NotYet }).collect();
    Facts::new(there.into_iter().filter(fits).map(fact).collect(), missing).unwrap()
}

#[test]
fn every_rule_has_evidence_and_an_answer_that_breaks_it() {
    let mut ids = BTreeSet::new();
    for rule in Rule::ALL.iter().copied() {
        assert!(
            ids.insert(rule.id()) && !rule.why().is_empty() && !rule.violation().is_empty(),
            "{}",
            rule.id()
        );
        assert!(!rule.shown_by().is_empty(), "{} is an orphan", rule.id());
        for evidence in rule.shown_by() {
            let Evidence::Refused(code) = evidence else { continue };
            let found = [true, false].map(|with_plan| {
                let faults = check(rule.violation().as_bytes(), &facts(with_plan)).unwrap_err();
                faults.iter().any(|fault| fault.code == *code)
            });
            assert!(found.contains(&true), "{}: {code} is not told of {}", rule.id(), rule.violation());
        }
    }
}
