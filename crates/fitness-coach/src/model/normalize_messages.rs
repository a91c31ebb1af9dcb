//! Normalises a stored conversation for the APIs: alternating roles, every call answered once in
//! the next turn with results first, and sealed parts only for the model that produced them.
//!
//! Stored conversations may lack a result, if the program stopped, or their beginning.

use super::{Message, ModelPart, UserPart};
use crate::prompt::delimit_result;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Result text for a call whose result is missing.
const MISSING_RESULT: &str = "the answer to this call was lost; call again if it is still needed";
/// First message of a conversation whose beginning was dropped.
const OMITTED_START: &str = "(the beginning of this conversation was left out)";

#[derive(Debug, PartialEq)]
pub(super) enum Turn<'a> {
    User {
        /// Exactly one result per call of the turn before.
        results: Vec<ToolResult<'a>>,
        texts: Vec<&'a str>,
    },
    Model(Vec<ModelContent<'a>>),
}

#[derive(Debug, PartialEq)]
pub(super) struct ToolResult<'a> {
    pub(super) call: String,
    /// Untrusted fields are delimited.
    pub(super) text: Cow<'a, str>,
    pub(super) refused: bool,
}

/// Part of a model turn, with ids that every API accepts.
#[derive(Debug, PartialEq)]
pub(super) enum ModelContent<'a> {
    Text(&'a str),
    Call { id: String, tool: &'a str, input: &'a serde_json::Value },
    Opaque(&'a serde_json::Value),
}

/// Normalises a conversation for the model `reader`.
pub(super) fn normalize<'a>(messages: &'a [Message], reader: &str) -> Vec<Turn<'a>> {
    let (mut turns, mut ids) = (Vec::new(), CallIds::default());
    // Open calls of the last turn: (stored id, id to send).
    let mut open: Vec<(&'a str, String)> = Vec::new();
    for message in messages {
        match message {
            Message::Model { name, parts } => {
                let said: Vec<ModelContent<'a>> = parts
                    .iter()
                    .filter_map(|part| match part {
                        ModelPart::Text { text } if text.trim().is_empty() => None,
                        ModelPart::Text { text } => Some(ModelContent::Text(text)),
                        ModelPart::Call { id, tool, input } => {
                            Some(ModelContent::Call { id: ids.assign(id), tool, input })
                        }
                        ModelPart::Sealed { raw } => (name == reader).then_some(ModelContent::Opaque(raw)),
                    })
                    .collect();
                if said.iter().all(|said| matches!(said, ModelContent::Opaque(_))) {
                    continue;
                }
                push_user_turn(&mut turns, &mut open, &[]);
                if turns.is_empty() {
                    turns.push(Turn::User { results: Vec::new(), texts: vec![OMITTED_START] });
                }
                let calls = parts.iter().filter_map(|part| match part {
                    ModelPart::Call { id, .. } => Some(id.as_str()),
                    ModelPart::Text { .. } | ModelPart::Sealed { .. } => None,
                });
                let sent = said.iter().filter_map(|said| match said {
                    ModelContent::Call { id, .. } => Some(id.clone()),
                    ModelContent::Text(_) | ModelContent::Opaque(_) => None,
                });
                open = calls.zip(sent).collect();
                match turns.last_mut() {
                    Some(Turn::Model(before)) => before.extend(said),
                    _ => turns.push(Turn::Model(said)),
                }
            }
            Message::Program { parts } => push_user_turn(&mut turns, &mut open, parts),
        }
    }
    push_user_turn(&mut turns, &mut open, &[]);
    turns
}

/// Adds a program turn: a result for every open call, then text.
fn push_user_turn<'a>(turns: &mut Vec<Turn<'a>>, open: &mut Vec<(&'a str, String)>, parts: &'a [UserPart]) {
    let mut answers = Vec::new();
    for (stored, call) in open.drain(..) {
        let found = parts.iter().find_map(|part| match part {
            UserPart::Result { call, text, refused } if call == stored => Some((text.as_str(), *refused)),
            UserPart::Result { .. } | UserPart::Text { .. } => None,
        });
        let (text, refused) = found.unwrap_or((MISSING_RESULT, true));
        let text = if refused { Cow::Borrowed(text) } else { delimit_result(text) };
        answers.push(ToolResult { call, text, refused });
    }
    let words = |part: &'a UserPart| match part {
        UserPart::Text { text } => Some(text.as_str()).filter(|text| !text.trim().is_empty()),
        UserPart::Result { .. } => None,
    };
    let texts: Vec<&'a str> = parts.iter().filter_map(words).collect();
    if answers.is_empty() && texts.is_empty() {
        return;
    }
    match turns.last_mut() {
        Some(Turn::User { texts: before, .. }) if answers.is_empty() => before.extend(texts),
        _ => turns.push(Turn::User { results: answers, texts }),
    }
}

/// Call ids to send: the stored id if it is valid and unique, else a generated one that stays
/// stable while the conversation grows.
#[derive(Debug, Default)]
struct CallIds(BTreeMap<String, ()>, usize);

impl CallIds {
    fn assign(&mut self, stored: &str) -> String {
        self.1 += 1;
        let sound = (1..=64).contains(&stored.len())
            && stored.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
        let mut id = if sound { stored.to_owned() } else { format!("call_{}", self.1) };
        while self.0.insert(id.clone(), ()).is_some() {
            id = format!("{}_{}", id.get(..40).unwrap_or(&id), self.1);
        }
        id
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn user_message(text: &str) -> Message {
        Message::Program { parts: vec![UserPart::Text { text: text.to_owned() }] }
    }

    fn model(name: &str, parts: Vec<ModelPart>) -> Message {
        Message::Model { name: name.to_owned(), parts }
    }

    fn text(text: &str) -> ModelPart {
        ModelPart::Text { text: text.to_owned() }
    }

    fn call(id: &str) -> ModelPart {
        ModelPart::Call { id: id.to_owned(), tool: "look".to_owned(), input: json!({}) }
    }

    fn result(id: &str, text: &str) -> UserPart {
        UserPart::Result { call: id.to_owned(), text: text.to_owned(), refused: false }
    }

    fn opaque(raw: Value) -> ModelPart {
        ModelPart::Sealed { raw }
    }

    #[test]
    fn opaque_parts_are_sent_only_to_the_model_that_wrote_them() {
        let messages = [
            user_message("hello"),
            model("a", vec![opaque(json!(1)), text("one")]),
            user_message("and?"),
            model("b", vec![opaque(json!(2)), text("two")]),
            user_message("and?"),
        ];
        let shown = |reader: &str| {
            let turns = normalize(&messages, reader);
            let all = turns.iter().filter_map(|turn| match turn {
                Turn::Model(said) => Some(said),
                Turn::User { .. } => None,
            });
            let raw = |said: &ModelContent<'_>| match said {
                ModelContent::Opaque(raw) => raw.as_i64(),
                ModelContent::Text(_) | ModelContent::Call { .. } => None,
            };
            all.flatten().filter_map(raw).collect::<Vec<_>>()
        };
        assert_eq!(shown("a"), [1]);
        assert_eq!(shown("b"), [2]);
        assert_eq!(shown("c"), Vec::<i64>::new());
    }

    #[test]
    fn every_call_is_answered_once_and_first() {
        let late = vec![
            UserPart::Text { text: "also".to_owned() },
            result("y", "2"),
            result("zzz", "nobody asked"),
            result("y", "again"),
        ];
        let messages = [
            user_message("go"),
            model("a", vec![text("hm"), call("x"), call("y")]),
            Message::Program { parts: late },
        ];
        let turns = normalize(&messages, "a");
        let Turn::User { results: answers, texts } = &turns[2] else { panic!("{turns:?}") };
        let told: Vec<_> =
            answers.iter().map(|answer| (answer.call.as_str(), &*answer.text, answer.refused)).collect();
        assert_eq!(told, [("x", MISSING_RESULT, true), ("y", "2", false)]);
        assert_eq!(texts, &["also"]);
    }

    #[test]
    fn interrupted_conversation_is_normalized() {
        let messages = [
            model("a", vec![text("you were saying")]),
            model("a", vec![call("x")]),
            model("a", vec![text("   "), opaque(json!(0))]),
            model("b", vec![text("where were we")]),
            user_message(" "),
        ];
        let turns = normalize(&messages, "a");
        assert_eq!(turns.len(), 4);
        assert!(matches!(&turns[0], Turn::User { texts, .. } if texts == &[OMITTED_START]));
        assert!(matches!(&turns[1], Turn::Model(said) if said.len() == 2));
        assert!(matches!(&turns[2], Turn::User { results, .. } if results.len() == 1));
        assert!(matches!(&turns[3], Turn::Model(said) if said == &[ModelContent::Text("where were we")]));
        let open = [user_message("go"), model("a", vec![call("x")])];
        assert!(
            matches!(normalize(&open, "a").last(), Some(Turn::User { results, .. }) if results.len() == 1)
        );
    }

    #[test]
    fn ids_are_such_as_every_service_takes_and_stay_when_the_conversation_grows() {
        let odd = "x".repeat(65);
        let mut messages = vec![
            user_message("go"),
            model("a", vec![call("fine-1"), call("not fine!"), call(""), call(&odd), call("fine-1")]),
        ];
        let ids = |messages: &[Message]| match normalize(messages, "a").into_iter().nth(1) {
            Some(Turn::Model(said)) => said
                .into_iter()
                .filter_map(|said| match said {
                    ModelContent::Call { id, .. } => Some(id),
                    ModelContent::Text(_) | ModelContent::Opaque(_) => None,
                })
                .collect::<Vec<_>>(),
            other => panic!("{other:?}"),
        };
        let first = ids(&messages);
        assert_eq!(first, ["fine-1", "call_2", "call_3", "call_4", "fine-1_5"]);
        messages.push(user_message("more"));
        messages.push(model("a", vec![call("fine-1")]));
        assert_eq!(ids(&messages), first);
    }
}
