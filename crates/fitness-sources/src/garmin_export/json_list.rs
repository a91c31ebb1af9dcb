//! Streams the elements of a JSON list of any length.
//!
//! Only one element is in memory, of at most [`MAX_ELEMENT_BYTES`]. Nothing recurses: serde_json
//! skips over a value without descending into it, so nesting depth does not matter.

use crate::error::ParseError;
use crate::files::list_entry_limit::{self, EntryByteBudget, EntryLimitReader};
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::error::Category;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Read};
use std::ops::Range;

/// Larger than any activity with all its splits.
pub(super) const MAX_ELEMENT_BYTES: usize = 4 << 20;

/// Receives the JSON text of each element.
type ElementSink<'a> = &'a mut dyn FnMut(&str);

/// Passes each element of a list to `sink`, or the whole file if it is one object. With a
/// `wrapper`, the list is the value of that key in an object, or in each object of a list; a bare
/// list also works.
///
/// # Errors
/// If the file ends early or is invalid. Elements before that were passed on.
pub(super) fn visit(
    reader: &mut dyn Read,
    wrapper: Option<&'static str>,
    take: ElementSink<'_>,
) -> Result<(), ParseError> {
    let allowance = EntryByteBudget::new(MAX_ELEMENT_BYTES);
    let mut tolerant = LenientJsonReader::new(EntryLimitReader { inner: reader, budget: &allowance });
    let first = tolerant.peek_non_space().map_err(|error| list_entry_limit::to_parse_error(&error))?;
    let mut json = serde_json::Deserializer::from_reader(tolerant);
    let mut walk = ListReader { budget: &allowance, sink: take };
    let end = match (first, wrapper) {
        (None, _) => return Err(ParseError::new("empty file")),
        (Some(b'<'), _) => return Err(ParseError::new("an HTML page, not JSON")),
        (Some(b'['), None) => json.deserialize_seq(ElementsVisitor(&mut walk)),
        (Some(b'['), Some(key)) => json.deserialize_seq(WrapperList { key, walk: &mut walk }),
        (Some(b'{'), None) => Element(&mut walk).deserialize(&mut json),
        (Some(b'{'), Some(key)) => json.deserialize_map(WrapperObject { key, walk: &mut walk }),
        _ => return Err(ParseError::new("not JSON")),
    };
    end.and_then(|()| json.end()).map_err(|error| to_parse_error(error, allowance.is_at_end()))
}

fn to_parse_error(error: serde_json::Error, ended: bool) -> ParseError {
    match error.classify() {
        Category::Io => list_entry_limit::to_parse_error(&error.into()),
        // serde_json reports a truncated number as a syntax error.
        Category::Syntax if ended => ParseError::new("the file ends unexpectedly"),
        Category::Eof => ParseError::new("the file ends unexpectedly"),
        Category::Syntax => ParseError::new(format!("invalid JSON in line {}", error.line())),
        Category::Data => ParseError::new("JSON, but not in the format of a Garmin account export"),
    }
}

struct ListReader<'a> {
    budget: &'a EntryByteBudget,
    sink: ElementSink<'a>,
}

/// One element, as raw JSON.
struct Element<'w, 'a>(&'w mut ListReader<'a>);

impl<'de> DeserializeSeed<'de> for Element<'_, '_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        let raw: Box<RawValue> = serde::Deserialize::deserialize(deserializer)?;
        (self.0.sink)(raw.get());
        self.0.budget.refill();
        Ok(())
    }
}

/// A list of elements.
struct ElementsVisitor<'w, 'a>(&'w mut ListReader<'a>);

impl<'de> DeserializeSeed<'de> for ElementsVisitor<'_, '_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ElementsVisitor<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while list.next_element_seed(Element(self.0))?.is_some() {}
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}

/// A list of objects that contain lists.
struct WrapperList<'w, 'a> {
    key: &'static str,
    walk: &'w mut ListReader<'a>,
}

impl<'de> Visitor<'de> for WrapperList<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while list.next_element_seed(WrapperObject { key: self.key, walk: self.walk })?.is_some() {
            self.walk.budget.refill();
        }
        Ok(())
    }
}

/// An object that contains a list, or a bare element in its place.
struct WrapperObject<'w, 'a> {
    key: &'static str,
    walk: &'w mut ListReader<'a>,
}

impl<'de> DeserializeSeed<'de> for WrapperObject<'_, '_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for WrapperObject<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut wraps = false;
        let mut bare: BTreeMap<String, Box<RawValue>> = BTreeMap::new();
        while let Some(key) = map.next_key::<String>()? {
            if key == self.key {
                wraps = true;
                map.next_value_seed(ElementsVisitor(self.walk))?;
            } else if wraps {
                map.next_value::<IgnoredAny>()?;
            } else {
                bare.insert(key, map.next_value()?);
            }
        }
        if !wraps && let Ok(text) = serde_json::to_string(&bare) {
            (self.walk.sink)(&text);
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        (self.walk.sink)("[]");
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        (self.walk.sink)("null");
        Ok(())
    }
}

/// Makes non-standard JSON valid: removes a byte order mark and replaces `NaN`, `Infinity` and
/// `-Infinity` by `null`.
struct LenientJsonReader<'a> {
    inner: EntryLimitReader<'a>,
    buffer: Box<[u8]>,
    /// Unread part of the buffer.
    left: Range<usize>,
    in_text: bool,
    escaped: bool,
    /// Bytes to return before the rest of the buffer.
    pending: &'static [u8],
}

impl<'a> LenientJsonReader<'a> {
    fn new(inner: EntryLimitReader<'a>) -> Self {
        let buffer = vec![0; 16 << 10].into_boxed_slice();
        Self { inner, buffer, left: 0..0, in_text: false, escaped: false, pending: &[] }
    }

    /// Peeks at the first byte that is not white space.
    fn peek_non_space(&mut self) -> io::Result<Option<u8>> {
        while let Some(byte) = self.peek()? {
            // The bytes of the UTF-8 byte order mark, which are never valid JSON.
            if !byte.is_ascii_whitespace() && ![0xef, 0xbb, 0xbf].contains(&byte) {
                return Ok(Some(byte));
            }
            self.left.start += 1;
        }
        Ok(None)
    }

    fn peek(&mut self) -> io::Result<Option<u8>> {
        while self.left.start == self.left.end {
            match self.inner.read(&mut self.buffer) {
                Ok(0) => return Ok(None),
                Ok(read) => self.left = 0..read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(Some(self.buffer[self.left.start]))
    }

    /// If `NaN` or `Infinity` follows, skips it and returns `null` instead.
    fn replace_invalid_literal(&mut self) -> io::Result<bool> {
        if !matches!(self.peek()?, Some(b'N' | b'I')) {
            return Ok(false);
        }
        while self.peek()?.is_some_and(|byte| byte.is_ascii_alphabetic()) {
            self.left.start += 1;
        }
        self.pending = b"ull";
        Ok(true)
    }
}

impl Read for LenientJsonReader<'_> {
    /// One byte at a time, which is how serde_json reads.
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let Some(place) = buf.first_mut() else { return Ok(0) };
        if let Some((byte, rest)) = self.pending.split_first() {
            (*place, self.pending) = (*byte, rest);
            return Ok(1);
        }
        let Some(byte) = self.peek()? else { return Ok(0) };
        *place = byte;
        if self.in_text {
            self.in_text = self.escaped || byte != b'"';
            self.escaped = byte == b'\\' && !self.escaped;
        } else if byte == b'"' {
            self.in_text = true;
        } else if matches!(byte, b'N' | b'I') {
            self.replace_invalid_literal()?;
            *place = b'n';
            return Ok(1);
        }
        self.left.start += 1;
        if byte == b'-' && !self.in_text && self.replace_invalid_literal()? {
            *place = b'n';
        }
        Ok(1)
    }
}
