//! The elements of a JSON list, one after the other, however long the list is.
//!
//! No more than one element is in memory, and none longer than [`LONGEST`]. Nothing here recurses: serde_json steps
//! over a value without descending into it, so the depth of a file does not matter.

use crate::error::Unreadable;
use crate::files::entry_budget::{self, Allowance, Metered};
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::error::Category;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Read};
use std::ops::Range;

/// More than any activity with all its splits.
pub(super) const LONGEST: usize = 4 << 20;

/// Takes the text of an element.
type Take<'a> = &'a mut dyn FnMut(&str);

/// Hands over the elements of a list, or the one object that a file is. With a `wrapper`, the list is the value of
/// that key in an object, or in each object of a list; a bare list will do.
///
/// # Errors
/// Where the file breaks off, with the reason as a sentence; what was handed over before stands.
pub(super) fn visit(
    reader: &mut dyn Read,
    wrapper: Option<&'static str>,
    take: Take<'_>,
) -> Result<(), Unreadable> {
    let allowance = Allowance::of(LONGEST);
    let mut tolerant = Tolerant::new(Metered { inner: reader, allowance: &allowance });
    let first = tolerant.first().map_err(|error| entry_budget::why(&error))?;
    let mut json = serde_json::Deserializer::from_reader(tolerant);
    let mut walk = Walk { allowance: &allowance, take };
    let end = match (first, wrapper) {
        (None, _) => return Err(Unreadable::new("it is empty")),
        (Some(b'<'), _) => return Err(Unreadable::new("it is an HTML page, not JSON")),
        (Some(b'['), None) => json.deserialize_seq(Elements(&mut walk)),
        (Some(b'['), Some(key)) => json.deserialize_seq(Wrappers { key, walk: &mut walk }),
        (Some(b'{'), None) => Element(&mut walk).deserialize(&mut json),
        (Some(b'{'), Some(key)) => json.deserialize_map(Wrapped { key, walk: &mut walk }),
        _ => return Err(Unreadable::new("it is not JSON")),
    };
    end.and_then(|()| json.end()).map_err(|error| reason(error, allowance.has_ended()))
}

fn reason(error: serde_json::Error, ended: bool) -> Unreadable {
    match error.classify() {
        Category::Io => entry_budget::why(&error.into()),
        // To serde_json half a number is a bad number.
        Category::Syntax if ended => Unreadable::new("it ends in the middle"),
        Category::Eof => Unreadable::new("it ends in the middle"),
        Category::Syntax => Unreadable::new(format!("it is damaged in line {}", error.line())),
        Category::Data => Unreadable::new("it is JSON, but not a list as in an account export"),
    }
}

struct Walk<'a> {
    allowance: &'a Allowance,
    take: Take<'a>,
}

/// One element, as it is written.
struct Element<'w, 'a>(&'w mut Walk<'a>);

impl<'de> DeserializeSeed<'de> for Element<'_, '_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        let raw: Box<RawValue> = serde::Deserialize::deserialize(deserializer)?;
        (self.0.take)(raw.get());
        self.0.allowance.refill();
        Ok(())
    }
}

/// A list of elements.
struct Elements<'w, 'a>(&'w mut Walk<'a>);

impl<'de> DeserializeSeed<'de> for Elements<'_, '_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Elements<'_, '_> {
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

/// A list of objects with lists in them.
struct Wrappers<'w, 'a> {
    key: &'static str,
    walk: &'w mut Walk<'a>,
}

impl<'de> Visitor<'de> for Wrappers<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while list.next_element_seed(Wrapped { key: self.key, walk: self.walk })?.is_some() {
            self.walk.allowance.refill();
        }
        Ok(())
    }
}

/// An object with a list in it, or an element that stands where such an object should.
struct Wrapped<'w, 'a> {
    key: &'static str,
    walk: &'w mut Walk<'a>,
}

impl<'de> DeserializeSeed<'de> for Wrapped<'_, '_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Wrapped<'_, '_> {
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
                map.next_value_seed(Elements(self.walk))?;
            } else if wraps {
                map.next_value::<IgnoredAny>()?;
            } else {
                bare.insert(key, map.next_value()?);
            }
        }
        if !wraps && let Ok(text) = serde_json::to_string(&bare) {
            (self.walk.take)(&text);
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        (self.walk.take)("[]");
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        (self.walk.take)("null");
        Ok(())
    }
}

/// Lets JSON through byte by byte, and what some programs take for JSON made into it: a byte order mark goes, and
/// `NaN`, `Infinity` and `-Infinity` become `null`.
struct Tolerant<'a> {
    inner: Metered<'a>,
    buffer: Box<[u8]>,
    /// What is left of the buffer.
    left: Range<usize>,
    in_text: bool,
    escaped: bool,
    /// What is to come before the next byte.
    pending: &'static [u8],
}

impl<'a> Tolerant<'a> {
    fn new(inner: Metered<'a>) -> Self {
        let buffer = vec![0; 16 << 10].into_boxed_slice();
        Self { inner, buffer, left: 0..0, in_text: false, escaped: false, pending: &[] }
    }

    /// The first byte that is not white space, which stays to be read.
    fn first(&mut self) -> io::Result<Option<u8>> {
        while let Some(byte) = self.peek()? {
            // The byte order mark of UTF-8 is these three, in this order; alone they are no JSON either.
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

    /// Whether a word comes that is no JSON. It is stepped over, and `null` comes in its place.
    fn replaces_word(&mut self) -> io::Result<bool> {
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

impl Read for Tolerant<'_> {
    /// One byte at a time, which is how serde_json asks.
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
            self.replaces_word()?;
            *place = b'n';
            return Ok(1);
        }
        self.left.start += 1;
        if byte == b'-' && !self.in_text && self.replaces_word()? {
            *place = b'n';
        }
        Ok(1)
    }
}
