//! The answer inside an envelope, while it is being written: a model at home is slow, and nobody likes to wait for the last
//! word before seeing the first.

use super::json_tools::FINAL;

/// How soon the answer begins, if this is one.
const SOON: usize = 200;

/// How far somebody has looked.
#[derive(Debug, Default)]
pub(super) struct Peek {
    at: usize,
    inside: bool,
    over: bool,
    /// What was seen so far.
    pub(super) told: String,
}

impl Peek {
    /// What more there is to see, in all that was written so far.
    pub(super) fn more(&mut self, written: &str) -> String {
        if !self.inside && !self.over {
            match begins(written) {
                Begins::At(place) => (self.at, self.inside) = (place, true),
                Begins::Perhaps => self.over = written.len() > SOON,
                Begins::Never => self.over = true,
            }
        }
        if self.over || !self.inside {
            return String::new();
        }
        let rest = written.get(self.at..).unwrap_or_default();
        let (length, ended) = whole(rest);
        let piece = rest.get(..length).map(|piece| format!("\"{piece}\""));
        let Some(piece) = piece.and_then(|piece| serde_json::from_str::<String>(&piece).ok()) else {
            // What it is will be clear at the end.
            self.over = true;
            return String::new();
        };
        self.at += length;
        self.over = ended;
        self.told.push_str(&piece);
        piece
    }
}

enum Begins {
    At(usize),
    Perhaps,
    Never,
}

/// Where the text of the answer begins.
fn begins(written: &str) -> Begins {
    let name = format!("\"{FINAL}\"");
    let mut rest = written;
    for token in ["{", "\"tool\"", ":", &name, ",", "\"arguments\"", ":", "{", "\"text\"", ":", "\""] {
        rest = rest.trim_start();
        match rest.strip_prefix(token) {
            Some(after) => rest = after,
            None if token.starts_with(rest) => return Begins::Perhaps,
            None => return Begins::Never,
        }
    }
    Begins::At(written.len() - rest.len())
}

/// How much of a text in JSON can be read without what comes next, and whether it ends there.
fn whole(rest: &str) -> (usize, bool) {
    let bytes = rest.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let length = match (byte, bytes.get(at + 1)) {
            (b'"', _) => return (at, true),
            (b'\\', None) => break,
            (b'\\', Some(b'u')) => {
                // Half of a pair is no letter.
                let first_of_two = matches!(bytes.get(at + 2), Some(b'd' | b'D'))
                    && matches!(bytes.get(at + 3), Some(b'8' | b'9' | b'a' | b'b' | b'A' | b'B'));
                if first_of_two { 12 } else { 6 }
            }
            (b'\\', Some(_)) => 2,
            _ => 1,
        };
        if at + length > bytes.len() {
            break;
        }
        at += length;
    }
    (at, false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::openai::json_tools::seal;
    use proptest::prelude::*;
    use serde_json::json;

    fn seen(written: &str) -> String {
        let mut peek = Peek::default();
        let ends = (1..=written.len()).filter(|end| written.is_char_boundary(*end));
        let told: String = ends.map(|end| peek.more(&written[..end])).collect();
        assert_eq!(told, peek.told);
        told
    }

    #[test]
    fn only_an_answer_is_seen() {
        assert_eq!(seen(&seal("look", &json!({"text": "x"}))), "");
        assert_eq!(seen("Sure! {\"tool\":\"final_answer\",\"arguments\":{\"text\":\"x\"}}"), "");
        assert_eq!(
            seen(" {\n \"tool\" : \"final_answer\" ,\"arguments\": { \"text\": \"a\\ud83d\\ude00\\n\" } }"),
            "a😀\n"
        );
        assert_eq!(seen("{\"tool\":\"final_answer\",\"arguments\":{\"text\":\"cut \\u00"), "cut ");
        assert_eq!(seen("{\"tool\":\"final_answer\",\"arguments\":{\"text\":\"half \\ud83d, gone"), "half ");
        assert_eq!(seen(&" ".repeat(1000)), "");
    }

    proptest! {
        #[test]
        fn an_answer_is_seen_letter_by_letter(text in "[ -~äöü€😀\n\t\"\\\\]{0,60}") {
            prop_assert_eq!(seen(&seal(FINAL, &json!({ "text": text }))), text);
        }

        #[test]
        fn nothing_is_too_odd(after in "[ -~äöü😀\\\\\"ud8]{0,60}") {
            seen(&format!("{{\"tool\":\"final_answer\",\"arguments\":{{\"text\":\"{after}"));
        }
    }
}
