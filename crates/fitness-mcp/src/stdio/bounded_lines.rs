//! Line reader with a maximum line length, so that a client cannot exhaust memory.

use crate::MAX_MESSAGE_BYTES;
use rmcp::model::RequestId;
use serde_json::Value;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, ReadBuf};
use tokio::sync::mpsc::UnboundedSender;

/// A line that is not passed on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RejectedLine {
    /// A request with this id over [`MAX_MESSAGE_BYTES`].
    TooLong(RequestId),
    NotJson,
}

/// Passes on whole lines of JSON. A line that is too long is discarded except for its request id;
/// rejected lines are reported over a channel.
#[derive(Debug)]
pub(super) struct BoundedLines<R> {
    read: R,
    /// The current, incomplete line.
    line: Vec<u8>,
    /// Set while the rest of a line is discarded.
    discarding: Option<IdScanner>,
    /// Bytes to pass on, and how many of them have been read.
    ready: Vec<u8>,
    ready_position: usize,
    rejected: UnboundedSender<RejectedLine>,
}

impl<R> BoundedLines<R> {
    pub(super) const fn new(read: R, rejected: UnboundedSender<RejectedLine>) -> Self {
        Self { read, line: Vec::new(), discarding: None, ready: Vec::new(), ready_position: 0, rejected }
    }

    fn push_bytes(&mut self, bytes: &[u8]) {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            if self.discarding.is_none() && self.line.len() + part.len() > MAX_MESSAGE_BYTES {
                let mut scanner = IdScanner::default();
                scanner.read(&self.line);
                self.line = Vec::new();
                self.discarding = Some(scanner);
            }
            match &mut self.discarding {
                Some(scanner) => scanner.read(part),
                None => self.line.extend_from_slice(part),
            }
            if part.ends_with(b"\n") {
                let too_long =
                    self.discarding.take().and_then(|scanner| scanner.found).map(RejectedLine::TooLong);
                // Parsed into `Value` as the next reader does, so that both apply the same depth
                // limit.
                let is_json = self.line.trim_ascii().is_empty()
                    || serde_json::from_slice::<Value>(self.line.trim_ascii()).is_ok();
                if is_json {
                    self.ready.append(&mut self.line);
                }
                self.line.clear();
                if let Some(unread) = too_long.or((!is_json).then_some(RejectedLine::NotJson)) {
                    // The receiver is gone only when the transport is closed.
                    drop(self.rejected.send(unread));
                }
            }
        }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for BoundedLines<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        loop {
            if let Some(rest) = self.ready.get(self.ready_position..).filter(|rest| !rest.is_empty()) {
                let length = rest.len().min(buffer.remaining());
                buffer.put_slice(&rest[..length]);
                self.ready_position += length;
                return Poll::Ready(Ok(()));
            }
            self.ready.clear();
            self.ready_position = 0;
            let mut bytes = [0; 8 * 1024];
            let mut read = ReadBuf::new(&mut bytes);
            ready!(Pin::new(&mut self.read).poll_read(context, &mut read))?;
            if read.filled().is_empty() {
                // End of input: an unfinished line is dropped.
                return Poll::Ready(Ok(()));
            }
            self.push_bytes(read.filled());
        }
    }
}

/// Finds the top-level `id` of a JSON object without keeping the object.
#[derive(Debug, Default)]
struct IdScanner {
    depth: usize,
    in_text: bool,
    escaped: bool,
    /// Top-level key or value being read, up to [`Self::MAX_ID_BYTES`].
    token: Vec<u8>,
    is_id: bool,
    found: Option<RequestId>,
}

impl IdScanner {
    /// Longer ids are ignored.
    const MAX_ID_BYTES: usize = 256;

    fn read(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.step(*byte));
    }

    fn step(&mut self, byte: u8) {
        if self.in_text {
            self.push_byte(byte);
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => self.in_text = false,
                _ => {}
            }
            return;
        }
        match byte {
            b'"' => {
                self.in_text = true;
                self.push_byte(byte);
            }
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => {
                self.end_value();
                self.depth = self.depth.saturating_sub(1);
            }
            b':' if self.depth == 1 => {
                self.is_id = self.token == b"\"id\"";
                self.token.clear();
            }
            b',' => self.end_value(),
            _ => self.push_byte(byte),
        }
    }

    fn push_byte(&mut self, byte: u8) {
        let matters = self.in_text || !byte.is_ascii_whitespace();
        if matters && self.depth == 1 && self.token.len() < Self::MAX_ID_BYTES {
            self.token.push(byte);
        }
    }

    fn end_value(&mut self) {
        if self.depth == 1 {
            if self.is_id {
                self.found = serde_json::from_slice(&self.token).ok();
            }
            self.is_id = false;
            self.token.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn scan_id(line: &str) -> Value {
        let mut scanner = IdScanner::default();
        scanner.read(line.as_bytes());
        scanner.found.map_or(Value::Null, |id| json!(id))
    }

    #[test]
    fn only_the_top_level_id_is_found() {
        let long = "x".repeat(1000);
        for (line, id) in [
            (json!({ "id": 7, "method": long }).to_string(), json!(7)),
            (format!(r#"{{"method":"{long}","params":{{"id":3,"a":[{{"id":4}}]}} , "id" : 7 }}"#), json!(7)),
            (json!({ "a": "\"id\":5,{", "id": "seven", "z": long }).to_string(), json!("seven")),
            (json!({ "id": "a \"quoted\\ one\"" }).to_string(), json!("a \"quoted\\ one\"")),
            (json!({ "params": { "id": 3 } }).to_string(), Value::Null),
            (json!({ "id": { "id": 3 } }).to_string(), Value::Null),
            (json!({ "id": long }).to_string(), Value::Null),
            (json!([{ "id": 3 }]).to_string(), Value::Null),
            (json!({ "id": null }).to_string(), Value::Null),
            (r#""id":7"#.to_owned(), Value::Null),
            ("}}}]]]:::,,,\"".to_owned(), Value::Null),
        ] {
            assert_eq!(scan_id(&line), id, "{}", line.chars().take(60).collect::<String>());
        }
    }
}
