//! What a coach tells the athlete beside a proposal, held against the same ledger as what it says in chat.
//!
//! The words are kept with the proposal and shown long after the conversation, so the marks are written into them.

use super::{Ledger, marked, unit_of_key};
use fitness_core::contract::bounds::{MAX_MESSAGE, MAX_WORDS};
use serde_json::Value;

impl Ledger {
    /// Marks every number in an answer's `athlete_message` and in the `notes` of its changes that nothing backs: neither
    /// what was told so far nor what the answer itself would change.
    pub fn mark_answer(&self, answer: &mut Value) {
        let mut ledger = self.clone();
        ledger.take_down_changes(None, answer);
        if let Some(message) = answer.get_mut("athlete_message") {
            ledger.mark_words(message, MAX_MESSAGE);
        }
        let modifications = answer.get_mut("modifications").and_then(Value::as_array_mut);
        for modification in modifications.into_iter().flatten() {
            if let Some(notes) = modification.pointer_mut("/changes/notes") {
                ledger.mark_words(notes, MAX_WORDS);
            }
        }
    }

    /// The amounts, days and names that a proposal shows anyway: speaking of them invents nothing.
    fn take_down_changes(&mut self, key: Option<&str>, value: &Value) {
        match value {
            Value::Number(number) => self.note(&number.to_string(), key.and_then(unit_of_key)),
            Value::String(_) if matches!(key, Some("date" | "name" | "original_name")) => {
                self.walk(None, value)
            }
            Value::Array(items) => items.iter().for_each(|item| self.take_down_changes(key, item)),
            Value::Object(fields) => {
                for (name, field) in fields {
                    // `{"duration_minutes": {"from": 60, "to": 40}}` is about minutes.
                    let name = if matches!(name.as_str(), "from" | "to") { key } else { Some(name.as_str()) };
                    self.take_down_changes(name, field);
                }
            }
            Value::Null | Value::Bool(_) | Value::String(_) => {}
        }
    }

    /// Marks a text in its place. One that the marks make too long is cut; one that was too long is refused as it is.
    fn mark_words(&self, value: &mut Value, most: usize) {
        let Value::String(text) = value else { return };
        let unverified = self.unverified(text);
        if unverified.is_empty() || text.chars().count() > most {
            return;
        }
        let mut words = marked(text, &unverified);
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

    fn answer(message: &str, notes: &str) -> Value {
        json!({
            "modifications": [{
                "workout_id": "22", "date": "2026-06-18", "original_name": "6 x 800 m", "action": "modify",
                "changes": { "name": "Easy run", "duration_minutes": { "from": 60, "to": 40 }, "notes": notes },
            }],
            "new_workouts": [],
            "athlete_message": message,
        })
    }

    fn checked(message: &str, notes: &str) -> (String, String) {
        let mut ledger = Ledger::default();
        ledger.hear(&json!({ "recovery": { "shown": "42" }, "sleep": "5h 10m" }));
        let mut answer = answer(message, notes);
        ledger.mark_answer(&mut answer);
        let text = |at: &str| answer.pointer(at).and_then(Value::as_str).unwrap_or_default().to_owned();
        (text("/athlete_message"), text("/modifications/0/changes/notes"))
    }

    #[test]
    fn what_the_data_or_the_change_says_stands() {
        let message = "Recovery is 42 after 5h 10m of sleep, so Thursday 18 June goes from 60 to 40 minutes.";
        let notes = "40 min instead of 6 x 800 m.";
        assert_eq!(checked(message, notes), (message.to_owned(), notes.to_owned()));
    }

    #[test]
    fn what_neither_says_is_marked_in_the_message_and_in_the_notes() {
        assert_eq!(
            checked("Recovery is 24, sleep was 4h.", "Your HRV fell by 12 %; keep to 40 hours."),
            (
                "Recovery is 24 [unverified], sleep was 4h [unverified].".to_owned(),
                "Your HRV fell by 12 % [unverified]; keep to 40 hours [unverified].".to_owned()
            )
        );
    }

    #[test]
    fn marks_make_no_answer_longer_than_it_may_be() {
        let long = "9 ".repeat(MAX_MESSAGE / 2);
        let (message, _) = checked(&long, "");
        assert_eq!(message.chars().count(), MAX_MESSAGE);
        assert!(message.starts_with("9 [unverified] 9 [unverified]"), "{message}");
        let too_long = "9 ".repeat(MAX_MESSAGE);
        assert_eq!(checked(&too_long, "").0, too_long);
    }

    proptest::proptest! {
        #[test]
        fn no_answer_breaks_it(text in ".{0,80}", number in proptest::num::f64::ANY) {
            for mut value in [
                json!(text), json!([text]), json!({ "athlete_message": number, "modifications": text }),
                json!({ "athlete_message": text, "modifications": [{ "changes": text }, text, { "changes": { "notes": text } }] }),
            ] {
                Ledger::default().mark_answer(&mut value);
            }
        }
    }
}
