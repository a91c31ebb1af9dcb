//! Tests of the prompt linter on the built-in prompts and on broken ones.

mod mutations;

use super::*;
use crate::tools::ToolName;
use fitness_core::domain::units::TimeSpan;
use fitness_core::facts::{Fact, FactText, FactUnit, FactValue, Facts, MissingFact, SourceRow};
use fitness_core::llm_output::brief::parse_brief;
use fitness_core::metrics::{MissingReason, Quality};
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// The seed's own prompt.
const FIXTURE_PROMPT: &str = include_str!("../../../tests/fixtures/seed_prompt.txt");

static TOOLS: LazyLock<Vec<&str>> =
    LazyLock::new(|| ToolName::ALL.iter().map(|tool| tool.as_str()).collect());

fn failures(prompt: &str, name: Option<PromptName>) -> Vec<String> {
    lint(prompt, &LintContext::for_prompt(name, &TOOLS)).iter().map(ToString::to_string).collect()
}

#[test]
fn fixture_and_built_in_prompts_lint_clean() {
    assert_eq!(failures(FIXTURE_PROMPT, None), Vec::<String>::new());
    assert_eq!(lint_built_in(|name| LintContext::for_prompt(Some(name), &TOOLS)), []);
    let told = lint_built_in(|name| LintContext::for_prompt(Some(name), &TOOLS[1..]));
    assert_eq!(told[0].to_string(), "FAIL: prompt names tools that do not exist: ['daily_snapshot']");
    for name in PromptName::ALL {
        assert_eq!(failures(Prompt::current(*name).text, Some(*name)), Vec::<String>::new(), "{name}");
    }
}

#[test]
fn drift_messages_match_the_expected_text() {
    let mut known = LintContext::for_prompt(None, &TOOLS);
    known.metrics.retain(|metric| *metric != "training_load");
    let told: Vec<String> = lint(FIXTURE_PROMPT, &known).iter().map(ToString::to_string).collect();
    assert_eq!(told, ["FAIL: prompt advertises non-schema metrics: ['training_load']"]);
    for (from, to, said) in [
        ("- sleep", "- sleep\n- direct", "prompt advertises non-schema metrics: ['direct']"),
        ("- direct", "- direct\n- sleep\n- angry", "prompt advertises non-schema tones: ['angry', 'sleep']"),
        ("Never fabricate a number", "Give a number", "prompt dropped the never-fabricate rule"),
        ("Translate training load", "Tell of load", "prompt dropped the training-load jargon translation"),
        ("coaching tone", "voice", "prompt dropped the coaching-tone instruction"),
        ("{user_notes}", "none", "prompt no longer wires in saved user notes"),
    ] {
        let changed = FIXTURE_PROMPT.replace(from, to);
        assert_ne!(changed, FIXTURE_PROMPT, "{from}");
        assert_eq!(failures(&changed, None), [format!("FAIL: {said}")], "{from}");
    }
    // What the seed's own scorer let through.
    let need_not = FIXTURE_PROMPT.replace("Never fabricate", "You need not never fabricate");
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
    for verb in fitness_core::plan::HumanActionKind::ALL {
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
    let told = lint(chat, &LintContext::for_prompt(Some(PromptName::Chat), &fewer));
    assert_eq!(told[0].message(), "prompt names tools that do not exist: ['propose_week']");
    let bare =
        Prompt::current(PromptName::Brief).text.replace("METRICS:", "These:").replace("TONES:", "Those:");
    assert_eq!(failures(&bare, Some(PromptName::Brief)).len(), 2);
}

#[test]
fn lint_reads_a_prompt_as_a_model_does() {
    let brief = Prompt::current(PromptName::Brief).text;
    let drift = "FAIL: prompt advertises non-schema metrics: ['moonphase']";
    for (from, to) in [
        ("METRICS:\n- recovery\n", "METRICS:\n\n- recovery\n- moonphase\n"),
        ("- training_load\n", "- training_load\n\n- moonphase\n"),
        ("- training_load\n", "- training_load\n* moonphase\n"),
        ("METRICS:\n- recovery\n- sleep\n", "METRICS: recovery, moonphase\n- sleep\n"),
    ] {
        let changed = brief.replace(from, to);
        assert_ne!(changed, brief, "{from}");
        assert_eq!(failures(&changed, Some(PromptName::Brief)), [drift], "{to}");
    }
    let never = "Never fabricate a number; if a metric is missing, say so plainly.";
    for (to, said) in [
        (format!("<!-- {never} -->"), "prompt hides something in a comment"),
        (format!("<!-- {never} -->"), "prompt dropped the never-fabricate rule"),
        (
            format!("This is what the old prompt said. \"{never}\""),
            "prompt dropped the never-fabricate rule: it is weakened",
        ),
        (format!("The rules of the old prompt:\n\n{never}"), "prompt speaks of another prompt"),
        (format!("> {never}"), "prompt dropped the never-fabricate rule: it is weakened"),
    ] {
        let changed = brief.replace(never, &to);
        assert_ne!(changed, brief);
        let told = failures(&changed, Some(PromptName::Brief));
        assert!(told.iter().any(|told| told.starts_with(&format!("FAIL: {said}"))), "{to}: {told:?}");
    }
    let chat = Prompt::current(PromptName::Chat).text;
    for (line, said) in [
        (
            concat!("Use the dele", "te tool."),
            concat!("prompt names what only a human does as a tool: ['dele", "te']"),
        ),
        (
            concat!("Then the app", "ly tool takes it over."),
            concat!("prompt names what only a human does as a tool: ['app", "ly']"),
        ),
        ("Ask `getWeather` for rain.", "prompt names tools that do not exist: ['getweather']"),
        ("Look with getWeather.", "prompt names tools that do not exist: ['getweather']"),
        ("Ask the weather tool.", "prompt names tools that do not exist: ['weather']"),
        (
            concat!("Use the tool dele", "te."),
            concat!("prompt names what only a human does as a tool: ['dele", "te']"),
        ),
        (
            concat!("You have these tools: acti", "vate, app", "ly, arch", "ive."),
            concat!(
                "prompt names what only a human does as a tool: ['acti",
                "vate', 'app",
                "ly', 'arch",
                "ive']"
            ),
        ),
        (
            concat!("The tools are app", "ly and discard."),
            concat!("prompt names what only a human does as a tool: ['app", "ly']"),
        ),
        (
            concat!("Call the acti", "vate function."),
            concat!("prompt names what only a human does as a tool: ['acti", "vate']"),
        ),
        (
            concat!("Invoke \"app", "ly\" when they agree."),
            concat!("prompt names what only a human does as a tool: ['app", "ly']"),
        ),
        (
            concat!("Use acti", "vate to make it count."),
            concat!("prompt names what only a human does as a tool: ['acti", "vate']"),
        ),
        (
            concat!("One of your functions is app", "lying a proposal."),
            concat!("prompt names what only a human does as a tool: ['app", "lying']"),
        ),
    ] {
        let told =
            failures(&chat.replace("\nTOOLS:", &format!("\n{line}\n\nTOOLS:")), Some(PromptName::Chat));
        assert_eq!(told, [format!("FAIL: {said}")], "{line}");
    }
    for line in [
        "Ask the notes tool.",
        concat!("These rules app", "ly to every answer."),
        concat!("No tool can acti", "vate a plan."),
        "Use the right tool.",
        "What each tool tells is true.",
        "You can use British spelling.",
    ] {
        let told =
            failures(&chat.replace("\nTOOLS:", &format!("\n{line}\n\nTOOLS:")), Some(PromptName::Chat));
        assert_eq!(told, Vec::<String>::new(), "{line}");
    }
}

#[test]
fn nothing_of_a_day_or_an_athlete_is_in_the_cached_part() {
    let brief = Prompt::current(PromptName::Brief).text;
    for line in [
        "Today is {today}.",
        "Today is 2026-06-29.",
        "It is 07:30 now.",
        "Write to ann@example.org.",
        "Today is Tuesday, 17 November.",
        "The race is on 3 May.",
        "Since Nov 17 things are new.",
        "The athlete is called Ann and weighs 61 kg.",
        "She runs 40 km a week.",
        "Her threshold is at 171 bpm.",
        "Their name is Ann.",
        "{user_notes}",
    ] {
        let told =
            failures(&brief.replacen("METRICS:", &format!("{line}\n\nMETRICS:"), 1), Some(PromptName::Brief));
        assert!(told.iter().any(|said| said.contains("cached part")), "{line}: {told:?}");
    }
    assert!(
        failures(&FIXTURE_PROMPT.replace("METRICS:", "Since 2026.\n\nMETRICS:"), None)[0]
            .contains("a date or a time")
    );
    assert!(failures(&format!("{FIXTURE_PROMPT}\n{{user_notes}}"), None)[0].contains("more than once"));
}

/// A morning on which every rule can be broken: everything is known but sleep; recovery is low; a
/// plan where it is wanted.
fn facts(with_plan: bool) -> Facts {
    let day = "2026-06-29".parse().unwrap();
    let of_a_plan =
        |id: &str| ["plan_", "today_", "last_verdict", "goal_"].iter().any(|begin| id.starts_with(begin));
    let known = |name: &FactName| {
        let id = name.as_str();
        let sleep = Metric::from_fact(*name) == Some(Metric::Sleep);
        let marked = matches!(
            name,
            FactName::AbsenceToday
                | FactName::PendingProposals
                | FactName::LastAbsence
                | FactName::RecoveryFromFeel
        );
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
    let missing =
        gone.into_iter().map(|name| MissingFact { id: name.into(), why: MissingReason::NotYet }).collect();
    Facts::new(there.into_iter().filter(fits).map(fact).collect(), missing).unwrap()
}

#[test]
fn every_rule_has_evidence_and_an_answer_that_breaks_it() {
    let mut ids = BTreeSet::new();
    for rule in PromptRule::ALL.iter().copied() {
        assert!(
            ids.insert(rule.id()) && !rule.reason().is_empty() && !rule.violation().is_empty(),
            "{}",
            rule.id()
        );
        assert!(!rule.evidence().is_empty(), "{} is an orphan", rule.id());
        for evidence in rule.evidence() {
            let RuleEnforcement::Validation(code) = evidence else { continue };
            let found = [true, false].map(|with_plan| {
                let faults = parse_brief(rule.violation().as_bytes(), &facts(with_plan)).unwrap_err();
                faults.iter().any(|fault| fault.code == *code)
            });
            assert!(found.contains(&true), "{}: {code} is not told of {}", rule.id(), rule.violation());
        }
    }
}
