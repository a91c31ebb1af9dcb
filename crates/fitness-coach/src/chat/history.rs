//! Stored chat history: repairs open tool calls and compacts old messages.

use super::join_text;
use crate::agent_loop::stopped_result;
use crate::model::{Message, ModelPart, UserPart};

/// Puts every tool result right after its call. Messages are stored one by one, so a result may
/// come after a message from another window, or be missing if the program stopped.
#[must_use]
pub fn attach_tool_results(kept: Vec<Message>) -> Vec<Message> {
    let mut all: Vec<Message> = Vec::with_capacity(kept.len());
    for message in kept {
        match message {
            Message::Model { name, parts } => {
                let calls: Vec<UserPart> = (parts.iter())
                    .filter_map(|part| {
                        if let ModelPart::Call { id, .. } = part { Some(stopped_result(id)) } else { None }
                    })
                    .collect();
                all.push(Message::Model { name, parts });
                // Marked as stopped until the result is found.
                all.extend((!calls.is_empty()).then_some(Message::Program { parts: calls }));
            }
            Message::Program { parts } => {
                let mut left = Vec::new();
                for part in parts {
                    match find_unanswered_call(&mut all, &part) {
                        Some(place) => *place = part,
                        // Text, and results without a call.
                        None => left.push(part),
                    }
                }
                all.extend((!left.is_empty()).then_some(Message::Program { parts: left }));
            }
        }
    }
    all
}

/// The latest call with this id and without a result; ids are unique within a turn only.
fn find_unanswered_call<'a>(all: &'a mut [Message], told: &UserPart) -> Option<&'a mut UserPart> {
    let UserPart::Result { call, .. } = told else { return None };
    let open = stopped_result(call);
    all.iter_mut().rev().find_map(|message| match message {
        Message::Program { parts } => parts.iter_mut().find(|part| **part == open),
        Message::Model { .. } => None,
    })
}

/// Maximum history in bytes that is sent uncompacted.
pub const MAX_HISTORY_BYTES: usize = 120 * 1024;

/// Shortens a history over `most` bytes to half of that, so that the prompt cache stays valid for
/// many turns. The latest exchanges stay complete, older ones keep their text without tool results,
/// the oldest are dropped. A call and its result are never separated.
#[must_use]
pub fn compact(history: Vec<Message>, most: usize) -> Vec<Message> {
    if history.iter().map(size).sum::<usize>() <= most {
        return history;
    }
    let mut exchanges: Vec<Vec<Message>> = Vec::new();
    for message in history {
        let begins = matches!(&message, Message::Program { parts } if parts.iter().any(|part| matches!(part, UserPart::Text { .. })));
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
        let exchange = if whole { exchange } else { drop_tool_parts(&exchange) };
        let cost: usize = exchange.iter().map(size).sum();
        if cost > left {
            break;
        }
        left -= cost;
        kept.push(exchange);
    }
    kept.into_iter().rev().flatten().collect()
}

/// An exchange without tools: the athlete's message and the final reply.
fn drop_tool_parts(exchange: &[Message]) -> Vec<Message> {
    const MAX_CHARS: usize = 2000;
    let short = |text: &str| text.chars().take(MAX_CHARS).collect::<String>();
    let asked = exchange.first().and_then(|message| match message {
        Message::Program { parts } => parts.iter().find_map(|part| match part {
            UserPart::Text { text } => {
                Some(Message::Program { parts: vec![UserPart::Text { text: short(text) }] })
            }
            UserPart::Result { .. } => None,
        }),
        Message::Model { .. } => None,
    });
    let answered = exchange.iter().rev().find_map(|message| match message {
        Message::Model { name, parts } => {
            let text = short(&join_text(parts));
            let parts = vec![ModelPart::Text { text: text.clone() }];
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
                UserPart::Text { text } | UserPart::Result { text, .. } => text.len(),
            })
            .sum(),
        Message::Model { parts, .. } => parts
            .iter()
            .map(|part| match part {
                ModelPart::Text { text } => text.len(),
                ModelPart::Call { input, .. } => input.to_string().len(),
                ModelPart::Sealed { raw } => raw.to_string().len(),
            })
            .sum(),
    }
}
