//! Extracts the text from an incomplete JSON envelope, so that slow local models can be streamed.

use super::json_tools::FINAL_ANSWER_TOOL;

/// How soon the answer begins, if this is one.
const MAX_PREFIX_BYTES: usize = 200;

/// How far somebody has looked.
#[derive(Debug, Default)]
pub(super) struct PartialJson {
    position: usize,
    in_string: bool,
    done: bool,
    /// What was seen so far.
    pub(super) emitted: String,
}

impl PartialJson {
    /// What more there is to see, in all that was written so far.
    pub(super) fn read_more(&mut self, written: &str) -> String {
        if !self.in_string && !self.done {
            match find_text_start(written) {
                TextStart::At(place) => (self.position, self.in_string) = (place, true),
                TextStart::Incomplete => self.done = written.len() > MAX_PREFIX_BYTES,
                TextStart::Absent => self.done = true,
            }
        }
        if self.done || !self.in_string {
            return String::new();
        }
        let rest = written.get(self.position..).unwrap_or_default();
        let (length, ended) = complete_prefix(rest);
        let piece = rest.get(..length).map(|piece| format!("\"{piece}\""));
        let Some(piece) = piece.and_then(|piece| serde_json::from_str::<String>(&piece).ok()) else {
            // What it is will be clear at the end.
            self.done = true;
            return String::new();
        };
        self.position += length;
        self.done = ended;
        self.emitted.push_str(&piece);
        piece
    }
}

enum TextStart {
    At(usize),
    Incomplete,
    Absent,
}

/// Where the text of the answer begins.
fn find_text_start(written: &str) -> TextStart {
    let name = format!("\"{FINAL_ANSWER_TOOL}\"");
    let mut rest = written;
    for token in ["{", "\"tool\"", ":", &name, ",", "\"arguments\"", ":", "{", "\"text\"", ":", "\""] {
        rest = rest.trim_start();
        match rest.strip_prefix(token) {
            Some(after) => rest = after,
            None if token.starts_with(rest) => return TextStart::Incomplete,
            None => return TextStart::Absent,
        }
    }
    TextStart::At(written.len() - rest.len())
}

/// How much of a text in JSON can be read without what comes next, and whether it ends there.
fn complete_prefix(rest: &str) -> (usize, bool) {
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
    use crate::model::openai::json_tools::encode_call;
    use proptest::prelude::*;
    use serde_json::json;

    fn extracted(written: &str) -> String {
        let mut peek = PartialJson::default();
        let ends = (1..=written.len()).filter(|end| written.is_char_boundary(*end));
        let told: String = ends.map(|end| peek.read_more(&written[..end])).collect();
        assert_eq!(told, peek.emitted);
        told
    }

    #[test]
    fn only_a_final_answer_is_extracted() {
        assert_eq!(extracted(&encode_call("look", &json!({"text": "x"}))), "");
        assert_eq!(extracted("Sure! {\"tool\":\"final_answer\",\"arguments\":{\"text\":\"x\"}}"), "");
        assert_eq!(
            extracted(
                " {\n \"tool\" : \"final_answer\" ,\"arguments\": { \"text\": \"a\\ud83d\\ude00\\n\" } }"
            ),
            "a😀\n"
        );
        assert_eq!(extracted("{\"tool\":\"final_answer\",\"arguments\":{\"text\":\"cut \\u00"), "cut ");
        assert_eq!(
            extracted("{\"tool\":\"final_answer\",\"arguments\":{\"text\":\"half \\ud83d, gone"),
            "half "
        );
        assert_eq!(extracted(&" ".repeat(1000)), "");
    }

    proptest! {
        #[test]
        fn an_answer_is_seen_letter_by_letter(text in "[ -~äöü€😀\n\t\"\\\\]{0,60}") {
            prop_assert_eq!(extracted(&encode_call(FINAL_ANSWER_TOOL, &json!({ "text": text }))), text);
        }

        #[test]
        fn read_more_never_panics(after in "[ -~äöü😀\\\\\"ud8]{0,60}") {
            extracted(&format!("{{\"tool\":\"final_answer\",\"arguments\":{{\"text\":\"{after}"));
        }
    }
}
