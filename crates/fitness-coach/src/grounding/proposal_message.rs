//! Checks the numbers in the message of a proposal.
//!
//! The message is stored and shown long after the chat, so unverified numbers are marked in the
//! text.

use super::{AllowedNumbers, mark_unverified, unit_from_key};
use fitness_core::llm_output::size_limits::{MAX_MESSAGE, MAX_TEXT_CHARS};
use serde_json::Value;

/// What of an answer is words to the athlete. Names are not among them: they are what the rest
/// speaks of.
const PROSE_KEYS: &[&str] = &[
    "athlete_message",
    "notes",
    "description",
    "reason",
    "focus",
    "current_status",
    "key_concerns",
    "recommendations_summary",
];

impl AllowedNumbers {
    /// Marks every number in an answer's words that nothing backs: neither what was told so far nor
    /// what the answer itself would change. The words are its `athlete_message`, the `notes` of its
    /// changes and steps, descriptions and reasons.
    pub fn mark_response(&self, answer: &mut Value) {
        let mut ledger = self.clone();
        ledger.record_changes(None, answer);
        ledger.mark_prose(None, answer);
    }

    fn mark_prose(&self, key: Option<&str>, value: &mut Value) {
        match value {
            Value::String(_) => match key {
                Some("athlete_message") => self.mark_text(value, MAX_MESSAGE),
                Some(key) if PROSE_KEYS.contains(&key) => self.mark_text(value, MAX_TEXT_CHARS),
                _ => {}
            },
            Value::Array(items) => items.iter_mut().for_each(|item| self.mark_prose(key, item)),
            Value::Object(fields) => {
                fields.iter_mut().for_each(|(name, field)| self.mark_prose(Some(name), field));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// The amounts, days and names that a proposal shows anyway: speaking of them invents nothing.
    fn record_changes(&mut self, key: Option<&str>, value: &Value) {
        match value {
            Value::Number(number) => {
                self.insert_digits(&number.to_string(), key, key.and_then(unit_from_key))
            }
            Value::String(_) if matches!(key, Some("date" | "name" | "original_name")) => {
                self.record_value(key, value)
            }
            Value::Array(items) => items.iter().for_each(|item| self.record_changes(key, item)),
            Value::Object(fields) => {
                self.record_step(fields);
                for (name, field) in fields {
                    // `{"duration_minutes": {"from": 60, "to": 40}}` is about minutes.
                    let name = if matches!(name.as_str(), "from" | "to") { key } else { Some(name.as_str()) };
                    self.record_changes(name, field);
                }
            }
            Value::Null | Value::Bool(_) | Value::String(_) => {}
        }
    }

    /// A step counts in seconds, metres and seconds per kilometre; words about it do not.
    fn record_step(&mut self, step: &serde_json::Map<String, Value>) {
        let number = |key: &str| step.get(key).and_then(Value::as_f64);
        let of = |key: &str| step.get(key).and_then(Value::as_str);
        match (of("duration_type"), number("duration_value")) {
            (Some("time"), Some(seconds)) => {
                self.insert_digits(&(seconds / 60.0).to_string(), None, Some("min"));
                self.insert_digits(&seconds.to_string(), None, Some("s"));
            }
            (Some("distance"), Some(meters)) => {
                self.insert_digits(&(meters / 1000.0).to_string(), None, Some("km"));
                // `800 m` is read like minutes.
                self.insert_digits(&meters.to_string(), None, Some("min"));
            }
            _ => {}
        }
        for end in ["target_low", "target_high"].into_iter().filter_map(number) {
            match of("target_type") {
                Some("heart_rate") => self.insert_digits(&end.to_string(), Some("heart_rate"), Some("bpm")),
                Some("power") => self.insert_digits(&end.to_string(), None, Some("W")),
                Some("pace") => {
                    let clock = format!("{}:{:02}", (end / 60.0).floor(), (end % 60.0).floor());
                    self.insert_digits(&clock, None, Some("/km"));
                }
                _ => {}
            }
        }
    }

    /// Marks a text in its place. One that the marks make too long is cut; one that was too long is
    /// refused as it is.
    fn mark_text(&self, value: &mut Value, most: usize) {
        let Value::String(text) = value else { return };
        let unverified = self.unverified_numbers(text);
        if unverified.is_empty() || text.chars().count() > most {
            return;
        }
        let mut words = mark_unverified(text, &unverified);
        if words.chars().count() > most {
            words = words.chars().take(most.saturating_sub(1)).chain(['…']).collect();
        }
        *text = words;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn response(message: &str, notes: &str) -> Value {
        json!({
            "modifications": [{
                "workout_id": "22", "date": "2026-06-18", "original_name": "6 x 800 m", "action": "modify",
                "changes": { "name": "Easy run", "duration_minutes": { "from": 60, "to": 40 }, "notes": notes },
            }],
            "new_workouts": [],
            "athlete_message": message,
        })
    }

    fn mark(message: &str, notes: &str) -> (String, String) {
        let mut ledger = AllowedNumbers::default();
        ledger.record_result(&json!({ "recovery": { "shown": "42" }, "sleep": "5h 10m" }));
        let mut answer = response(message, notes);
        ledger.mark_response(&mut answer);
        let text = |at: &str| answer.pointer(at).and_then(Value::as_str).unwrap_or_default().to_owned();
        (text("/athlete_message"), text("/modifications/0/changes/notes"))
    }

    #[test]
    fn numbers_from_data_or_change_are_not_marked() {
        let message = "Recovery is 42 after 5h 10m of sleep, so Thursday 18 June goes from 60 to 40 minutes.";
        let notes = "40 min instead of 6 x 800 m.";
        assert_eq!(mark(message, notes), (message.to_owned(), notes.to_owned()));
    }

    #[test]
    fn unverified_numbers_are_marked_in_message_and_notes() {
        assert_eq!(
            mark("Recovery is 24, sleep was 4h.", "Your HRV fell by 12 %; keep to 40 hours."),
            (
                "Recovery is 24 [unverified], sleep was 4h [unverified].".to_owned(),
                "Your HRV fell by 12 % [unverified]; keep to 40 hours [unverified].".to_owned()
            )
        );
    }

    #[test]
    fn marked_text_stays_within_the_length_limit() {
        let long = "9 ".repeat(MAX_MESSAGE / 2);
        let (message, _) = mark(&long, "");
        assert_eq!(message.chars().count(), MAX_MESSAGE);
        assert!(message.starts_with("9 [unverified] 9 [unverified]"), "{message}");
        let too_long = "9 ".repeat(MAX_MESSAGE);
        assert_eq!(mark(&too_long, "").0, too_long);
    }

    #[test]
    fn descriptions_reasons_and_the_notes_of_steps_are_looked_at_as_well() {
        let mut ledger = AllowedNumbers::default();
        ledger.record_result(&json!({ "recovery": { "shown": "42" } }));
        let step = json!({ "step_type": "active", "duration_type": "time", "duration_value": 600, "target_type": "heart_rate",
            "target_low": 130, "target_high": 140, "notes": "10 min at 130 to 140 bpm, as 16 times before." });
        let workout = json!({ "date": "2026-06-18", "name": "Tempo", "duration_minutes": 40, "steps": [step],
            "description": "40 min, for your recovery is 42; your form is 17 and you doubled your load." });
        for mut answer in [
            json!({ "athlete_message": "x", "new_workouts": [workout], "weekly_load_adjustment": { "reason": "Form is 17." },
                "analysis": { "key_concerns": ["HRV of 78"] } }),
            json!({ "athlete_message": "x", "workouts": [workout], "plan_summary": { "focus": "A VO2max of 66." } }),
        ] {
            ledger.mark_response(&mut answer);
            let text = answer.to_string();
            for (marked, times) in
                [("17 [unverified]", 1), ("doubled [unverified]", 1), ("16 times [unverified]", 1)]
            {
                assert!(text.matches(marked).count() >= times, "{marked} is not in {text}");
            }
            for known in ["40 min, for your recovery is 42;", "10 min at 130 to 140 bpm, as"] {
                assert!(text.contains(known), "{known} is not in {text}");
            }
            assert!(text.contains("78 [unverified]") || text.contains("66 [unverified]"), "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn mark_response_never_panics(text in ".{0,80}", number in proptest::num::f64::ANY) {
            for mut value in [
                json!(text), json!([text]), json!({ "athlete_message": number, "modifications": text }),
                json!({ "athlete_message": text, "modifications": [{ "changes": text }, text, { "changes": { "notes": text } }] }),
            ] {
                AllowedNumbers::default().mark_response(&mut value);
            }
        }
    }
}
