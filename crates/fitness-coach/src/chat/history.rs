//! What is kept of a conversation, and how much of it goes on.

use super::words;
use crate::agent_loop::stopped;
use crate::model::{Message, Part, Told};

/// A conversation as it was kept, with every call answered where it was made. What a turn does is kept one by one as it
/// happens, so an answer may stand by itself, after what was said in another window, or not at all when everything ended
/// before it came.
#[must_use]
pub fn whole(kept: Vec<Message>) -> Vec<Message> {
    let mut all: Vec<Message> = Vec::with_capacity(kept.len());
    for message in kept {
        match message {
            Message::Model { name, parts } => {
                let calls: Vec<Told> = (parts.iter())
                    .filter_map(
                        |part| if let Part::Call { id, .. } = part { Some(stopped(id)) } else { None },
                    )
                    .collect();
                all.push(Message::Model { name, parts });
                // Stopped, until its answer is found.
                all.extend((!calls.is_empty()).then_some(Message::Program { parts: calls }));
            }
            Message::Program { parts } => {
                let mut left = Vec::new();
                for part in parts {
                    match place(&mut all, &part) {
                        Some(place) => *place = part,
                        // Words, and an answer whose call is no longer there.
                        None => left.push(part),
                    }
                }
                all.extend((!left.is_empty()).then_some(Message::Program { parts: left }));
            }
        }
    }
    all
}

/// Where an answer belongs: ids are only told apart within a turn, so it is the latest call of this one that has none.
fn place<'a>(all: &'a mut [Message], told: &Told) -> Option<&'a mut Told> {
    let Told::Result { call, .. } = told else { return None };
    let open = stopped(call);
    all.iter_mut().rev().find_map(|message| match message {
        Message::Program { parts } => parts.iter_mut().find(|part| **part == open),
        Message::Model { .. } => None,
    })
}

/// The longest history that is sent whole, in bytes of its parts.
pub const MAX_HISTORY: usize = 120 * 1024;

/// What was said before, short enough to go on with. The latest exchanges stay as they are; of older ones stay the words,
/// without what tools answered; the oldest go. A call and its answer stay or go together. Nothing changes until the
/// history is too long, and then much of it does, so that a cached beginning is of use for many turns.
#[must_use]
pub fn compact(history: Vec<Message>, most: usize) -> Vec<Message> {
    if history.iter().map(size).sum::<usize>() <= most {
        return history;
    }
    let mut exchanges: Vec<Vec<Message>> = Vec::new();
    for message in history {
        let begins = matches!(&message, Message::Program { parts } if parts.iter().any(|part| matches!(part, Told::Text { .. })));
        match exchanges.last_mut() {
            Some(last) if !begins => last.push(message),
            _ => exchanges.push(vec![message]),
        }
    }
    let mut left = most / 2;
    let mut kept: Vec<Vec<Message>> = Vec::new();
    let mut whole = true;
    for exchange in exchanges.into_iter().rev() {
        let cost: usize = exchange.iter().map(size).sum();
        whole = whole && cost <= left;
        let exchange = if whole { exchange } else { words_of(&exchange) };
        let cost: usize = exchange.iter().map(size).sum();
        if cost > left {
            break;
        }
        left -= cost;
        kept.push(exchange);
    }
    kept.into_iter().rev().flatten().collect()
}

/// An exchange without its tools: what the athlete said, and the last the coach did.
fn words_of(exchange: &[Message]) -> Vec<Message> {
    const MOST: usize = 2000;
    let short = |text: &str| text.chars().take(MOST).collect::<String>();
    let asked = exchange.first().and_then(|message| match message {
        Message::Program { parts } => parts.iter().find_map(|part| match part {
            Told::Text { text } => Some(Message::Program { parts: vec![Told::Text { text: short(text) }] }),
            Told::Result { .. } => None,
        }),
        Message::Model { .. } => None,
    });
    let answered = exchange.iter().rev().find_map(|message| match message {
        Message::Model { name, parts } => {
            let text = short(&words(parts));
            let parts = vec![Part::Text { text: text.clone() }];
            (!text.is_empty()).then(|| Message::Model { name: name.clone(), parts })
        }
        Message::Program { .. } => None,
    });
    asked.into_iter().chain(answered).collect()
}

pub(super) fn size(message: &Message) -> usize {
    match message {
        Message::Program { parts } => parts
            .iter()
            .map(|part| match part {
                Told::Text { text } | Told::Result { text, .. } => text.len(),
            })
            .sum(),
        Message::Model { parts, .. } => parts
            .iter()
            .map(|part| match part {
                Part::Text { text } => text.len(),
                Part::Call { input, .. } => input.to_string().len(),
                Part::Sealed { raw } => raw.to_string().len(),
            })
            .sum(),
    }
}
