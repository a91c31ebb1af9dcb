//! When a brief has to ask, and what counts as asking.

use super::Broken;
use super::tokens::{Token, tokens, words_at};
use crate::facts::{FactName, FactValue, FactWord, Facts};
use crate::llm_output::errors::ValidationErrorCode;
use crate::metrics::recovery::RecoveryBand;
use crate::metrics::recovery::illness::IllnessSignDuration;

/// A device may only raise a question; the athlete's own mark answers it.
pub(crate) fn device_data_asks(body: &str, facts: &Facts, broken: &mut Vec<Broken>) {
    let word = |name: FactName| match facts.find(name.as_str()).map(|fact| &fact.value) {
        Some(FactValue::Word(word)) => Some(*word),
        _ => None,
    };
    let ill = matches!(
        word(FactName::SignsOfIllness),
        Some(FactWord::Illness(IllnessSignDuration::OneDay | IllnessSignDuration::TwoDays))
    );
    let low = word(FactName::RecoveryBand) == Some(FactWord::Recovery(RecoveryBand::Low));
    let known = |name: FactName| facts.find(name.as_str()).is_some();
    let marked = known(FactName::AbsenceToday);
    // How they feel they have said; whether they are ill they have not.
    let open = ill || (low && !known(FactName::RecoveryFromFeel));
    if open && !marked && !asks_how_they_are(body) {
        let message = "The device alone shows low recovery or signs of illness. Ask the athlete how they feel, with a question such as `How do you feel today?`; conclude nothing from it.";
        broken.push(("body", ValidationErrorCode::MustAsk, message.to_owned()));
    }
}

/// What a question asks after when it asks after somebody.
#[rustfmt::skip]
const ASKED_AFTER: &[&str] = &[
    "feel", "felt", "slept", "sleep", "rested", "tired", "ill", "sick", "sore", "hurt", "pain", "ache", "aching",
    "legs", "body", "head", "throat", "fever", "cold", "unwell", "energy", "fresh", "stress", "mood",
    "doing", "yourself", "muscle", "stomach", "appetite", "well", "okay",
];

/// Whether a text asks how the athlete is. A `Which of these is it?` asks by the sentence before it.
fn asks_how_they_are(body: &str) -> bool {
    let after = |text: &str| {
        let named = |token: &Token<'_>| {
            token.word().is_some_and(|word| {
                let root = word.strip_suffix("ing").or_else(|| word.strip_suffix('s')).unwrap_or(word);
                ASKED_AFTER.contains(&word) || ASKED_AFTER.contains(&root)
            })
        };
        let tokens = tokens(text);
        tokens.iter().any(named) || (0..tokens.len()).any(|at| words_at(&tokens, at, "how are you"))
    };
    let mut before = "";
    body.split_inclusive(['.', '!', '?', ';', '…', '\n']).any(|sentence| {
        let which = tokens(sentence).iter().any(|token| matches!(token.word(), Some("which" | "these")));
        let asks = sentence.ends_with('?') && (after(sentence) || (which && after(before)));
        before = sentence;
        asks
    })
}

#[cfg(test)]
mod tests {
    use super::asks_how_they_are;

    #[test]
    fn only_a_question_about_the_athlete_asks_how_they_are() {
        for text in [
            "How do you feel?",
            "How are you today?",
            "Did you sleep badly?",
            "How are the legs and the head today?",
            "A cold on its way, or a late night. Which of these is it?",
            "Are you feeling ill?",
            "Tell me, is your throat sore?",
        ] {
            assert!(asks_how_they_are(text), "{text}");
        }
        for text in [
            "How are the stairs?",
            "Ready?",
            "Do you feel ill. I wonder.",
            "You feel fine. Shall we go?",
            "A cold day. Which way do you run?".replace("cold", "grey").as_str(),
            "What is the weather like?",
            "You slept well. What will you eat?",
        ] {
            assert!(!asks_how_they_are(text), "{text}");
        }
    }
}
