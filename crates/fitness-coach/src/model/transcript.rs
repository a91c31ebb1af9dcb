//! A conversation as every dialect wants it: sides take turns, every call is answered once in the next turn, answers come
//! first, and what is sealed is shown to the model that sealed it and to no other.
//!
//! What is stored may be less tidy. A program may end between a call and its answer, and the beginning of a long
//! conversation may have been left out.

use super::{Message, Part, Told};
use crate::prompt::fence_answer;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// What a call is answered with when nobody knows what it was answered with.
const UNANSWERED: &str = "the answer to this call was lost; call again if it is still needed";
/// What a conversation begins with when its beginning was left out.
const BEGINNING: &str = "(the beginning of this conversation was left out)";

/// One side's turn, tidy.
#[derive(Debug, PartialEq)]
pub(super) enum Turn<'a> {
    /// The program's.
    Program {
        /// Answers to all calls of the turn before, and to no others.
        answers: Vec<Answer<'a>>,
        /// Then words, none of them empty.
        texts: Vec<&'a str>,
    },
    /// The model's; never empty.
    Model(Vec<Said<'a>>),
}

/// The answer to a call.
#[derive(Debug, PartialEq)]
pub(super) struct Answer<'a> {
    pub(super) call: String,
    /// With what other people wrote fenced as data.
    pub(super) text: Cow<'a, str>,
    pub(super) refused: bool,
}

/// Something a model said. Ids are such as every service takes.
#[derive(Debug, PartialEq)]
pub(super) enum Said<'a> {
    Text(&'a str),
    Call { id: String, tool: &'a str, input: &'a serde_json::Value },
    Sealed(&'a serde_json::Value),
}

/// Puts a conversation in order for the model that is called `reader`.
pub(super) fn tidy<'a>(messages: &'a [Message], reader: &str) -> Vec<Turn<'a>> {
    let (mut turns, mut ids) = (Vec::new(), Ids::default());
    // The calls that the last turn left open, as (stored id, id to send).
    let mut open: Vec<(&'a str, String)> = Vec::new();
    for message in messages {
        match message {
            Message::Model { name, parts } => {
                let said: Vec<Said<'a>> = parts
                    .iter()
                    .filter_map(|part| match part {
                        Part::Text { text } if text.trim().is_empty() => None,
                        Part::Text { text } => Some(Said::Text(text)),
                        Part::Call { id, tool, input } => {
                            Some(Said::Call { id: ids.of_call(id), tool, input })
                        }
                        Part::Sealed { raw } => (name == reader).then_some(Said::Sealed(raw)),
                    })
                    .collect();
                if said.iter().all(|said| matches!(said, Said::Sealed(_))) {
                    continue;
                }
                answer(&mut turns, &mut open, &[]);
                if turns.is_empty() {
                    turns.push(Turn::Program { answers: Vec::new(), texts: vec![BEGINNING] });
                }
                let calls = parts.iter().filter_map(|part| match part {
                    Part::Call { id, .. } => Some(id.as_str()),
                    Part::Text { .. } | Part::Sealed { .. } => None,
                });
                let sent = said.iter().filter_map(|said| match said {
                    Said::Call { id, .. } => Some(id.clone()),
                    Said::Text(_) | Said::Sealed(_) => None,
                });
                open = calls.zip(sent).collect();
                match turns.last_mut() {
                    Some(Turn::Model(before)) => before.extend(said),
                    _ => turns.push(Turn::Model(said)),
                }
            }
            Message::Program { parts } => answer(&mut turns, &mut open, parts),
        }
    }
    answer(&mut turns, &mut open, &[]);
    turns
}

/// Adds the program's turn: an answer for every open call, then words.
fn answer<'a>(turns: &mut Vec<Turn<'a>>, open: &mut Vec<(&'a str, String)>, parts: &'a [Told]) {
    let mut answers = Vec::new();
    for (stored, call) in open.drain(..) {
        let found = parts.iter().find_map(|part| match part {
            Told::Result { call, text, refused } if call == stored => Some((text.as_str(), *refused)),
            Told::Result { .. } | Told::Text { .. } => None,
        });
        let (text, refused) = found.unwrap_or((UNANSWERED, true));
        let text = if refused { Cow::Borrowed(text) } else { fence_answer(text) };
        answers.push(Answer { call, text, refused });
    }
    let words = |part: &'a Told| match part {
        Told::Text { text } => Some(text.as_str()).filter(|text| !text.trim().is_empty()),
        Told::Result { .. } => None,
    };
    let texts: Vec<&'a str> = parts.iter().filter_map(words).collect();
    if answers.is_empty() && texts.is_empty() {
        return;
    }
    match turns.last_mut() {
        Some(Turn::Program { texts: before, .. }) if answers.is_empty() => before.extend(texts),
        _ => turns.push(Turn::Program { answers, texts }),
    }
}

/// Ids for calls: those that came, where every service takes them and they are used once; others get a new one, which
/// stays the same while the conversation grows.
#[derive(Debug, Default)]
struct Ids(BTreeMap<String, ()>, usize);

impl Ids {
    fn of_call(&mut self, stored: &str) -> String {
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

    fn said(text: &str) -> Message {
        Message::Program { parts: vec![Told::Text { text: text.to_owned() }] }
    }

    fn model(name: &str, parts: Vec<Part>) -> Message {
        Message::Model { name: name.to_owned(), parts }
    }

    fn text(text: &str) -> Part {
        Part::Text { text: text.to_owned() }
    }

    fn call(id: &str) -> Part {
        Part::Call { id: id.to_owned(), tool: "look".to_owned(), input: json!({}) }
    }

    fn result(id: &str, text: &str) -> Told {
        Told::Result { call: id.to_owned(), text: text.to_owned(), refused: false }
    }

    fn sealed(raw: Value) -> Part {
        Part::Sealed { raw }
    }

    #[test]
    fn what_is_sealed_is_shown_to_the_model_that_sealed_it_alone() {
        let messages = [
            said("hello"),
            model("a", vec![sealed(json!(1)), text("one")]),
            said("and?"),
            model("b", vec![sealed(json!(2)), text("two")]),
            said("and?"),
        ];
        let shown = |reader: &str| {
            let turns = tidy(&messages, reader);
            let all = turns.iter().filter_map(|turn| match turn {
                Turn::Model(said) => Some(said),
                Turn::Program { .. } => None,
            });
            let raw = |said: &Said<'_>| match said {
                Said::Sealed(raw) => raw.as_i64(),
                Said::Text(_) | Said::Call { .. } => None,
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
            Told::Text { text: "also".to_owned() },
            result("y", "2"),
            result("zzz", "nobody asked"),
            result("y", "again"),
        ];
        let messages = [
            said("go"),
            model("a", vec![text("hm"), call("x"), call("y")]),
            Message::Program { parts: late },
        ];
        let turns = tidy(&messages, "a");
        let Turn::Program { answers, texts } = &turns[2] else { panic!("{turns:?}") };
        let told: Vec<_> =
            answers.iter().map(|answer| (answer.call.as_str(), &*answer.text, answer.refused)).collect();
        assert_eq!(told, [("x", UNANSWERED, true), ("y", "2", false)]);
        assert_eq!(texts, &["also"]);
    }

    #[test]
    fn a_conversation_that_broke_off_is_mended() {
        let messages = [
            model("a", vec![text("you were saying")]),
            model("a", vec![call("x")]),
            model("a", vec![text("   "), sealed(json!(0))]),
            model("b", vec![text("where were we")]),
            said(" "),
        ];
        let turns = tidy(&messages, "a");
        assert_eq!(turns.len(), 4);
        assert!(matches!(&turns[0], Turn::Program { texts, .. } if texts == &[BEGINNING]));
        assert!(matches!(&turns[1], Turn::Model(said) if said.len() == 2));
        assert!(matches!(&turns[2], Turn::Program { answers, .. } if answers.len() == 1));
        assert!(matches!(&turns[3], Turn::Model(said) if said == &[Said::Text("where were we")]));
        let open = [said("go"), model("a", vec![call("x")])];
        assert!(matches!(tidy(&open, "a").last(), Some(Turn::Program { answers, .. }) if answers.len() == 1));
    }

    #[test]
    fn ids_are_such_as_every_service_takes_and_stay_when_the_conversation_grows() {
        let odd = "x".repeat(65);
        let mut messages = vec![
            said("go"),
            model("a", vec![call("fine-1"), call("not fine!"), call(""), call(&odd), call("fine-1")]),
        ];
        let ids = |messages: &[Message]| match tidy(messages, "a").into_iter().nth(1) {
            Some(Turn::Model(said)) => said
                .into_iter()
                .filter_map(|said| match said {
                    Said::Call { id, .. } => Some(id),
                    Said::Text(_) | Said::Sealed(_) => None,
                })
                .collect::<Vec<_>>(),
            other => panic!("{other:?}"),
        };
        let first = ids(&messages);
        assert_eq!(first, ["fine-1", "call_2", "call_3", "call_4", "fine-1_5"]);
        messages.push(said("more"));
        messages.push(model("a", vec![call("fine-1")]));
        assert_eq!(ids(&messages), first);
    }
}
