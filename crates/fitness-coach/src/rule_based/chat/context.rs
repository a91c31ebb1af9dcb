//! What was spoken of before: the day that `it` is.

use super::{Intent, NAME, grammar, said_last};
use crate::model::{Message, ModelPart};
use fitness_core::domain::calendar::Day;

/// What the exchange before was about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Before {
    /// No day, or today: the conversation begins, or nothing else was named.
    Nothing,
    /// This day, which is not over.
    Day(Day),
    /// Several days, or nobody can tell.
    Unclear,
}

impl Before {
    /// What the last exchange of these was about. The day is read from the coach's answer, where it stands with its date:
    /// what an athlete called `tomorrow` is another day on the next morning.
    #[must_use]
    pub fn of(messages: &[Message], today: Day) -> Self {
        let Some((at, asked)) = said_last(messages) else { return Self::Nothing };
        let mut answer = String::new();
        for message in messages.iter().skip(at + 1) {
            let Message::Model { name, parts } = message else { continue };
            let texts = parts.iter().filter_map(|part| match part {
                ModelPart::Text { text } => Some(text.as_str()),
                ModelPart::Call { .. } | ModelPart::Sealed { .. } => None,
            });
            let said: String = texts.collect();
            if name != NAME && !said.is_empty() {
                return Self::Unclear;
            }
            answer.push_str(&said);
        }
        let mut days: Vec<Day> =
            grammar::words(&answer).iter().filter_map(|word| word.parse().ok()).collect();
        days.sort_unstable();
        days.dedup();
        match days.as_slice() {
            [day] if *day >= today => Self::Day(*day),
            [] => match Intent::read(asked, today) {
                Intent::Week { .. } | Intent::Days { .. } | Intent::Unsure { .. } | Intent::Over { .. } => {
                    Self::Unclear
                }
                _ if answer.is_empty() => Self::Unclear,
                _ => Self::Nothing,
            },
            _ => Self::Unclear,
        }
    }
}
