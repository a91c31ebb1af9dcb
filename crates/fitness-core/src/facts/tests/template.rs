//! What prose may and may not do with facts.

use super::*;

fn rendered(prose: &str) -> Result<String, BadProse> {
    World::runner().facts().render(prose, UnitSystem::Metric)
}

fn faults(prose: &str) -> Vec<ProseFault> {
    rendered(prose).map(|text| panic!("{prose:?} was shown as {text:?}")).unwrap_err().faults().to_vec()
}

fn id(text: &str) -> FactId {
    text.parse().unwrap()
}

#[test]
fn placeholders_become_what_the_athlete_reads() {
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
fn what_is_not_known_is_not_written() {
    assert_eq!(faults("{{vo_two_max}}"), [ProseFault::Unknown(id("vo_two_max"))]);
    let missing = faults("At {{threshold_power}} then");
    assert!(matches!(&missing[..], [ProseFault::Missing { why: Absent::Missing { .. }, .. }]), "{missing:?}");
    assert_eq!(
        rendered("At {{threshold_power}}").unwrap_err().to_string(),
        "`threshold_power` is not known: needs a threshold power"
    );
}

#[test]
fn a_number_of_its_own_is_refused_in_every_script() {
    for digit in [
        '0', '7', '٣', '۴', '५', '৬', '７', '²', '₂', '½', '⅔', 'Ⅳ', 'ⅻ', '①', '⓿', '❼', '㊀', '〇', '𝟓',
        '🄁', '🯵', '−', '⚄', '💯', '🔟', '🕔', '🥇', '㏠', '㎡', '🆞',
    ] {
        for prose in [format!("{digit}"), format!("Run {digit} of {{{{fitness}}}}"), format!("a{digit}b")] {
            assert!(faults(&prose).contains(&ProseFault::Digit(digit)), "{prose}");
        }
    }
    assert_eq!(
        rendered("Take 5 or 6.").unwrap_err().to_string(),
        "numbers are written as facts, not as `5`; numbers are written as facts, not as `6`"
    );
}

#[test]
fn braces_hold_an_id_and_nothing_else() {
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
        assert!(faults(prose).contains(&ProseFault::Braces), "{prose}");
    }
    let long = format!("{{{{{}}}}}", "a".repeat(65));
    assert_eq!(faults(&long), [ProseFault::Braces]);
}

#[test]
fn a_number_is_not_made_into_another_one() {
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
        assert!(faults(prose).iter().any(|fault| matches!(fault, ProseFault::Glued(_))), "{prose}");
    }
    assert_eq!(rendered("{{fitness}}, {{fatigue}} and {{form}}!").unwrap(), "30, 28 and +3!");
}

#[test]
fn nothing_unseen_turns_a_number_around() {
    for hidden in
        ['\u{202e}', '\u{2066}', '\u{200b}', '\u{feff}', '\u{1b}', '\t', '\r', '\0', '\u{85}', '\u{e0035}']
    {
        assert!(faults(&format!("a {hidden} b")).contains(&ProseFault::Hidden(hidden)), "{hidden:?}");
    }
}

#[test]
fn a_predicted_finish_is_told_with_its_band() {
    let point = [ProseFault::WithoutBand(id("predicted_marathon"))];
    assert_eq!(faults("A marathon in {{predicted_marathon}}."), point);
    assert_eq!(faults("{{predicted_marathon}}, at best {{predicted_marathon_low}}."), point);
    assert_eq!(faults("{{predicted_marathon}}, at worst {{predicted_marathon_high}}."), point);
    let whole =
        "About {{predicted_marathon}}, between {{predicted_marathon_low}} and {{predicted_marathon_high}}.";
    assert_eq!(rendered(whole).unwrap(), "About 3:49:00, between 3:37:00 and 4:06:00.");
    // The band may go without its point.
    assert!(rendered("Between {{predicted_5_km_low}} and {{predicted_5_km_high}}.").is_ok());
}

#[test]
fn every_fault_is_told_once_and_not_without_end() {
    let faults_of = faults("{{nothing}} 4 4 {{nothing}} 5%");
    assert_eq!(
        faults_of,
        [ProseFault::Unknown(id("nothing")), ProseFault::Digit('4'), ProseFault::Digit('5')]
    );
    let endless: String = ('\u{2460}'..='\u{249b}').collect();
    assert_eq!(faults(&endless).len(), 20);
    // A megabyte of broken braces takes no longer than a megabyte of prose.
    assert_eq!(faults(&"{{".repeat(500_000)), [ProseFault::Braces]);
}
