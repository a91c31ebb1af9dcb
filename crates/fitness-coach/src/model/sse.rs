//! Incremental parser for server-sent events.
//!
//! A chunk may end anywhere, also within a line ending or a UTF-8 character. The parser buffers one
//! line and one event; both and the whole stream are bounded.

/// Maximum size of a line and of the data of one event.
pub const MAX_EVENT_BYTES: usize = 1 << 20;
/// Maximum size of a stream, above the longest reply sent in tiny pieces.
pub const MAX_STREAM_BYTES: usize = 32 << 20;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SseEvent {
    /// Event name; may be empty.
    pub name: String,
    /// Data lines, joined. May be invalid UTF-8.
    pub data: Vec<u8>,
}

/// A size limit was exceeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("event stream too large")]
pub struct TooLargeError;

#[derive(Debug, Default)]
pub struct EventReader {
    line: Vec<u8>,
    event: SseEvent,
    has_data: bool,
    /// The last byte was a carriage return; a line feed right after it is part of the same line
    /// ending.
    after_carriage_return: bool,
    total_bytes: usize,
    past_first_line: bool,
}

impl EventReader {
    /// Parses a chunk and calls `tell` for every complete event, until it returns false.
    pub fn push_bytes<E: From<TooLargeError>>(
        &mut self,
        bytes: &[u8],
        mut tell: impl FnMut(SseEvent) -> Result<(), E>,
    ) -> Result<(), E> {
        self.total_bytes = self.total_bytes.saturating_add(bytes.len());
        if self.total_bytes > MAX_STREAM_BYTES {
            return Err(TooLargeError.into());
        }
        let mut rest = bytes;
        while let Some(first) = rest.first() {
            if std::mem::take(&mut self.after_carriage_return) && *first == b'\n' {
                rest = &rest[1..];
                continue;
            }
            let end = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            let (more, after) = rest.split_at(end.unwrap_or(rest.len()));
            if self.line.len().saturating_add(more.len()) > MAX_EVENT_BYTES {
                return Err(TooLargeError.into());
            }
            self.line.extend_from_slice(more);
            let Some((ending, after)) = after.split_first() else { break };
            self.after_carriage_return = *ending == b'\r';
            rest = after;
            if let Some(event) = self.end_line().map_err(E::from)? {
                tell(event)?;
            }
        }
        Ok(())
    }

    /// Handles a line: an empty one ends the event.
    fn end_line(&mut self) -> Result<Option<SseEvent>, TooLargeError> {
        let mut line = std::mem::take(&mut self.line);
        if !std::mem::replace(&mut self.past_first_line, true) && line.starts_with(b"\xEF\xBB\xBF") {
            line.drain(..3);
        }
        if line.is_empty() {
            let event = std::mem::take(&mut self.event);
            return Ok(std::mem::take(&mut self.has_data).then_some(event));
        }
        let colon = line.iter().position(|byte| *byte == b':').unwrap_or(line.len());
        let (field, value) = line.split_at(colon);
        let value = value.strip_prefix(b":").unwrap_or(value);
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match field {
            b"event" => self.event.name = String::from_utf8_lossy(value).into_owned(),
            b"data" => {
                if self.event.data.len().saturating_add(value.len()) >= MAX_EVENT_BYTES {
                    return Err(TooLargeError);
                }
                if std::mem::replace(&mut self.has_data, true) {
                    self.event.data.push(b'\n');
                }
                self.event.data.extend_from_slice(value);
            }
            // Comments, ids, reconnect times and unknown fields are ignored.
            _ => {}
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(chunks: &[&[u8]]) -> Result<Vec<(String, String)>, TooLargeError> {
        let (mut reader, mut events) = (EventReader::default(), Vec::new());
        for chunk in chunks {
            reader.push_bytes(chunk, |event| {
                events.push((event.name, String::from_utf8_lossy(&event.data).into_owned()));
                Ok::<_, TooLargeError>(())
            })?;
        }
        Ok(events)
    }

    fn pair(name: &str, data: &str) -> (String, String) {
        (name.to_owned(), data.to_owned())
    }

    #[test]
    fn events_are_read_however_their_lines_end() {
        for end in ["\n", "\r\n", "\r"] {
            let text =
                ["event: a", "data: {\"x\":", "data:1}", "", ": a comment", "data", "", "id: 7", "", ""];
            let events = read(&[text.join(end).as_bytes()]).unwrap();
            assert_eq!(events, [pair("a", "{\"x\":\n1}"), pair("", "")], "{end:?}");
        }
        assert_eq!(read(&[b"\xEF\xBB\xBFdata: x\n\n"]).unwrap(), [pair("", "x")]);
        assert_eq!(read(&[b"data:  two spaces\n\n"]).unwrap(), [pair("", " two spaces")]);
    }

    #[test]
    fn unterminated_event_is_dropped() {
        assert_eq!(read(&[b"data: x\n"]).unwrap(), []);
        assert_eq!(read(&[b"data: x"]).unwrap(), []);
    }

    #[test]
    fn a_name_belongs_to_its_event_alone() {
        assert_eq!(read(&[b"event: a\n\ndata: x\n\n"]).unwrap(), [pair("", "x")]);
    }

    #[test]
    fn buffered_bytes_are_bounded() {
        let long = vec![b'x'; MAX_EVENT_BYTES + 1];
        assert_eq!(read(&[&long]), Err(TooLargeError));
        let mut lines = Vec::new();
        for _ in 0..3 {
            lines.extend_from_slice(b"data: ");
            lines.extend_from_slice(&long[..MAX_EVENT_BYTES / 2]);
            lines.push(b'\n');
        }
        assert_eq!(read(&[&lines]), Err(TooLargeError));
        let mut block = vec![b':'; 1 << 20];
        block[1000] = b'\n';
        let chunks: Vec<&[u8]> = std::iter::repeat_n(block.as_slice(), 33).collect();
        assert_eq!(read(&chunks[..32]), Ok(Vec::new()));
        assert_eq!(read(&chunks), Err(TooLargeError));
    }

    proptest! {
        #[test]
        fn chunks_may_end_anywhere(
            events in prop::collection::vec(("[a-z_]{0,9}", "[ -~äöü€😀]{0,40}"), 0..8),
            ends in prop::collection::vec(0_usize..3, 40),
            cuts in prop::collection::vec(1_usize..7, 1..200),
        ) {
            let mut ends = ends.iter().map(|end| ["\n", "\r\n", "\r"][*end]).cycle();
            let mut text = String::new();
            for (name, data) in &events {
                for line in [format!("event: {name}"), ": ping".to_owned(), format!("data: {data}"), String::new()] {
                    // A lone CR followed by LF would be one line ending, not two.
                    let end = if line.is_empty() { "\r\n" } else { ends.next().unwrap_or("\n") };
                    let end = if end == "\r" && line.starts_with("data") { "\n" } else { end };
                    text.push_str(&line);
                    text.push_str(end);
                }
            }
            let (mut rest, mut chunks) = (text.as_bytes(), Vec::new());
            for cut in cuts.iter().cycle() {
                if rest.is_empty() { break }
                let (chunk, after) = rest.split_at((*cut).min(rest.len()));
                chunks.push(chunk);
                rest = after;
            }
            let expected: Vec<_> = events.iter().map(|(name, data)| pair(name, data)).collect();
            prop_assert_eq!(read(&chunks).unwrap(), expected);
        }

        #[test]
        fn any_bytes_in_any_chunks_are_the_same_events(bytes in prop::collection::vec(any::<u8>(), 0..300), cut in 1_usize..9) {
            let chunks: Vec<&[u8]> = bytes.chunks(cut).collect();
            prop_assert_eq!(read(&chunks), read(&[&bytes]));
        }
    }
}
