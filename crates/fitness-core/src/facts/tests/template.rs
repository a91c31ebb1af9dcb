//! Rendering and validation of templates.

use super::*;

fn rendered(prose: &str) -> Result<String, TemplateErrors> {
    World::runner().facts().render(prose, UnitSystem::Metric)
}

fn errors(prose: &str) -> Vec<ProseError> {
    rendered(prose).map(|text| panic!("{prose:?} was shown as {text:?}")).unwrap_err().errors().to_vec()
}

fn id(text: &str) -> FactId {
    text.parse().unwrap()
}

#[test]
fn placeholders_are_replaced_by_formatted_values() {
    let prose = "Form is {{form}} ({{form_band}}), after {{distance_7_days}} in {{runs_7_days}}.\n“{{last_run_pace}}”: easy.";
    assert_eq!(rendered(prose).unwrap(), "Form is +3 (neutral), after 40.0 km in 4 runs.\n“5:30 /km”: easy.");
    let imperial = World::runner().facts().render("{{last_run_distance}}", UnitSystem::Imperial);
    assert_eq!(imperial.unwrap(), "5.0 mi");
    for same in ["", "Rest today.", "A {single} brace — and a Zürich è.", "H₂O no, CO no"] {
        let shown = rendered(same);
        assert_eq!(shown.is_ok(), !same.contains('₂'), "{same}");
        assert!(shown.is_err() || shown.as_deref() == Ok(same));
    }
}

#[test]
fn missing_fact_is_refused() {
    assert_eq!(errors("{{vo_two_max}}"), [ProseError::Unknown(id("vo_two_max"))]);
    let missing = errors("At {{threshold_power}} then");
    assert!(
        matches!(&missing[..], [ProseError::Missing { why: MissingReason::Missing { .. }, .. }]),
        "{missing:?}"
    );
    assert_eq!(
        rendered("At {{threshold_power}}").unwrap_err().to_string(),
        "`threshold_power` is unknown: set a threshold power"
    );
}

#[test]
fn digits_of_any_script_are_refused() {
    for digit in [
        '0', '7', '٣', '۴', '५', '৬', '７', '²', '₂', '½', '⅔', 'Ⅳ', 'ⅻ', '①', '⓿', '❼', '㊀', '〇', '𝟓',
        '🄁', '🯵', '−', '⚄', '💯', '🔟', '🕔', '🥇', '㏠', '㎡', '🆞',
    ] {
        for prose in [format!("{digit}"), format!("Run {digit} of {{{{fitness}}}}"), format!("a{digit}b")] {
            assert!(errors(&prose).contains(&ProseError::Digit(digit)), "{prose}");
        }
    }
    assert_eq!(
        rendered("Take 5 or 6.").unwrap_err().to_string(),
        "write numbers as facts, not as `5`; write numbers as facts, not as `6`"
    );
}

#[test]
fn braces_must_contain_one_id() {
    for prose in [
        "{{",
        "}}",
        "{{}}",
        "{{ fitness }}",
        "{{Fitness}}",
        "{{fitness}",
        "{{{fitness}}}",
        "{{fitness|round}}",
        "{{fit\nness}}",
        "{{fit\u{200b}ness}}",
        "{{{{fitness}}}}",
        "fitness}} {{fatigue}}",
    ] {
        assert!(errors(prose).contains(&ProseError::Braces), "{prose}");
    }
    let long = format!("{{{{{}}}}}", "a".repeat(65));
    assert_eq!(errors(&long), [ProseError::Braces]);
}

#[test]
fn text_glued_to_a_number_is_refused() {
    for prose in [
        "-{{fitness}}",
        "–{{fitness}}",
        "+{{fitness}}",
        "{{fitness}}{{fatigue}}",
        "{{fitness}} {{fatigue}}",
        "{{fitness}}.{{fatigue}}",
        "{{fitness}},{{fatigue}}",
        "{{fitness}}'{{fatigue}}",
        "{{fitness}}:{{fatigue}}",
        "{{fitness}}–{{fatigue}}",
        "{{fitness}}%",
        "{{fitness}}k",
        "{{fitness}}\u{338}",
        "{{fitness}}\u{200d}",
        "x{{fitness}}",
        "$.{{fitness}}",
        "{{fitness}}/{{fatigue}}",
    ] {
        assert!(errors(prose).iter().any(|fault| matches!(fault, ProseError::Glued(_))), "{prose}");
    }
    assert_eq!(rendered("{{fitness}}, {{fatigue}} and {{form}}!").unwrap(), "30, 28 and +3!");
}

#[test]
fn invisible_characters_are_refused() {
    for hidden in
        ['\u{202e}', '\u{2066}', '\u{200b}', '\u{feff}', '\u{1b}', '\t', '\r', '\0', '\u{85}', '\u{e0035}']
    {
        assert!(errors(&format!("a {hidden} b")).contains(&ProseError::Hidden(hidden)), "{hidden:?}");
    }
}

#[test]
fn predicted_time_needs_its_range() {
    let point = [ProseError::WithoutBand(id("predicted_marathon"))];
    assert_eq!(errors("A marathon in {{predicted_marathon}}."), point);
    assert_eq!(errors("{{predicted_marathon}}, at best {{predicted_marathon_low}}."), point);
    assert_eq!(errors("{{predicted_marathon}}, at worst {{predicted_marathon_high}}."), point);
    let whole =
        "About {{predicted_marathon}}, between {{predicted_marathon_low}} and {{predicted_marathon_high}}.";
    assert_eq!(rendered(whole).unwrap(), "About 3:49:00, between 3:37:00 and 4:06:00.");
    // The range may be used without its prediction.
    assert!(rendered("Between {{predicted_5_km_low}} and {{predicted_5_km_high}}.").is_ok());
}

#[test]
fn errors_are_unique_and_capped() {
    let faults_of = errors("{{nothing}} 4 4 {{nothing}} 5%");
    assert_eq!(
        faults_of,
        [ProseError::Unknown(id("nothing")), ProseError::Digit('4'), ProseError::Digit('5')]
    );
    let endless: String = ('\u{2460}'..='\u{249b}').collect();
    assert_eq!(errors(&endless).len(), 20);
    // Broken braces must not take quadratic time.
    assert_eq!(errors(&"{{".repeat(500_000)), [ProseError::Braces]);
}
