//! A bounded pull parser for the XML of activity files.
//!
//! Elements are matched by local name, because namespace prefixes differ between exporters. DOCTYPE
//! and custom entities are not supported, so that a file cannot expand while it is read.
//!
//! Parsers are loops over [`XmlReader::next_element`].

use crate::error::ParseError;
use fitness_core::domain::untrusted_text::is_storable;
use quick_xml::Reader;
use quick_xml::errors::{Error, IllFormedError, SyntaxError};
use quick_xml::events::{BytesDecl, BytesRef, BytesStart, Event};
use std::borrow::Cow;

/// Activity files have about ten levels.
const MAX_DEPTH: usize = 64;
/// 23 days at one point per second.
const MAX_POINTS: usize = 2_000_000;
/// Maximum tracks, activities and laps, which use memory even without points.
const MAX_PARTS: usize = 10_000;
/// Longer element text is truncated, in bytes.
const MAX_TEXT: usize = 64 * 1024;
/// Longer attributes are ignored: they are not coordinates, sports or times.
const MAX_ATTRIBUTE: usize = 256;
/// Longer names are truncated, in characters.
const MAX_NAME: usize = 200;

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum XmlError {
    /// The file ends early or is malformed. Everything before that is valid.
    Truncated,
    /// The whole file is rejected.
    Refused(ParseError),
}

impl XmlError {
    pub(crate) fn new(reason: impl Into<String>) -> Self {
        Self::Refused(ParseError::new(reason))
    }
}

/// Decodes UTF-8, or UTF-16 with a byte order mark.
///
/// The XML declaration is ignored: some programs write UTF-8 and declare UTF-16.
pub(crate) fn decode(bytes: &[u8]) -> Result<Cow<'_, str>, ParseError> {
    let text = match bytes {
        [0xff, 0xfe, rest @ ..] => Cow::Owned(decode_utf16(rest, u16::from_le_bytes)),
        [0xfe, 0xff, rest @ ..] => Cow::Owned(decode_utf16(rest, u16::from_be_bytes)),
        _ => match str::from_utf8(bytes) {
            Ok(text) => Cow::Borrowed(text),
            // Truncated within a character; the reader detects the truncation.
            Err(error) if error.error_len().is_none() => {
                let whole = str::from_utf8(&bytes[..error.valid_up_to()]);
                Cow::Borrowed(whole.expect("valid up to this byte"))
            }
            Err(_) => return Err(ParseError::new("not UTF-8 or UTF-16 text")),
        },
    };
    let opening = text.trim_start_matches('\u{feff}').trim_start();
    let tag = |rest: &str| rest.starts_with(|c: char| c.is_alphabetic() || matches!(c, '?' | '!' | '_'));
    if opening.is_empty() {
        Err(ParseError::new("empty file"))
    } else if !opening.strip_prefix('<').is_some_and(tag) {
        Err(ParseError::new("not XML"))
    } else {
        Ok(text)
    }
}

fn decode_utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units = bytes.as_chunks().0.iter().map(|pair| unit(*pair));
    char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

#[derive(Debug)]
pub(crate) struct Element<'a>(BytesStart<'a>);

impl Element<'_> {
    pub(crate) fn name(&self) -> &str {
        self.0.local_name().into_inner()
    }

    /// An attribute without decoding character references, which the attributes we use never have.
    pub(crate) fn attribute(&self, name: &str) -> Option<Cow<'_, str>> {
        let mut attributes = self.0.attributes();
        // Checking for duplicates would take quadratic time.
        let found = attributes.with_checks(false).flatten().find(|a| a.key.local_name().into_inner() == name);
        let value = found.map(|attribute| attribute.value);
        value.filter(|value| value.len() <= MAX_ATTRIBUTE && is_storable(value))
    }
}

/// Pull parser with limits on depth, points and parts.
pub(crate) struct XmlReader<'a> {
    input: &'a str,
    reader: Reader<&'a [u8]>,
    depth: usize,
    points: usize,
    parts: usize,
    text: String,
}

impl<'a> XmlReader<'a> {
    pub(crate) fn new(input: &'a str) -> Self {
        // quick-xml would skip a byte order mark without counting its bytes.
        let input = input.trim_start_matches('\u{feff}');
        let mut reader = Reader::from_str(input);
        let config = reader.config_mut();
        config.expand_empty_elements = true;
        config.allow_dangling_amp = true;
        Self { input, reader, depth: 0, points: 0, parts: 0, text: String::new() }
    }

    /// Number of open elements.
    pub(crate) fn depth(&self) -> usize {
        self.depth
    }

    /// The next element inside the one at this depth; `None` when that one is closed.
    ///
    /// If the caller does not consume the element with [`Self::text`] or [`Self::skip`], its
    /// children come next. That is how wrapper elements such as `Extensions` are passed.
    pub(crate) fn next_element(&mut self, depth: usize) -> Result<Option<Element<'a>>, XmlError> {
        loop {
            match self.next_event()? {
                Event::Start(start) => return Ok(Some(Element(start))),
                Event::End(_) if self.depth < depth => return Ok(None),
                Event::Eof => return Ok(None),
                _ => {}
            }
        }
    }

    /// Skips the current element.
    pub(crate) fn skip(&mut self) -> Result<(), XmlError> {
        let depth = self.depth;
        while self.depth >= depth {
            self.next_event()?;
        }
        Ok(())
    }

    /// All text in the current element, trimmed.
    pub(crate) fn text(&mut self) -> Result<&str, XmlError> {
        let depth = self.depth;
        self.text.clear();
        while self.depth >= depth {
            match self.next_event()? {
                Event::Text(text) => append(&mut self.text, &text),
                Event::CData(text) => append(&mut self.text, &text),
                Event::GeneralRef(reference) => append_reference(&mut self.text, &reference),
                _ => {}
            }
        }
        Ok(self.text.trim())
    }

    /// The current element's text as a finite number.
    pub(crate) fn number(&mut self) -> Result<Option<f64>, XmlError> {
        Ok(self.text()?.parse().ok().filter(|number: &f64| number.is_finite()))
    }

    /// The current element's text, truncated; `None` if empty.
    pub(crate) fn name(&mut self) -> Result<Option<String>, XmlError> {
        // PostgreSQL cannot store NUL.
        let name: String = self.text()?.chars().filter(|c| *c != '\0').take(MAX_NAME).collect();
        Ok((!name.is_empty()).then_some(name))
    }

    /// Counts a track point; fails above `MAX_POINTS`.
    pub(crate) fn count_point(&mut self) -> Result<(), XmlError> {
        self.points += 1;
        if self.points > MAX_POINTS {
            return Err(XmlError::new(format!("more than {MAX_POINTS} points")));
        }
        Ok(())
    }

    /// Counts a track, activity or lap; fails above `MAX_PARTS`.
    pub(crate) fn count_part(&mut self) -> Result<(), XmlError> {
        self.parts += 1;
        if self.parts > MAX_PARTS {
            return Err(XmlError::new(format!("more than {MAX_PARTS} tracks or laps")));
        }
        Ok(())
    }

    fn next_event(&mut self) -> Result<Event<'a>, XmlError> {
        let event = self.reader.read_event().map_err(|error| self.to_xml_error(&error))?;
        match &event {
            Event::Start(_) if self.depth == MAX_DEPTH => {
                return Err(XmlError::new(format!("XML nested more than {MAX_DEPTH} levels deep")));
            }
            Event::Start(_) => self.depth += 1,
            // quick-xml checks that it matches the start tag.
            Event::End(_) => self.depth = self.depth.saturating_sub(1),
            Event::Eof if self.depth > 0 => return Err(XmlError::Truncated),
            Event::DocType(_) => return Err(doctype_error()),
            Event::Decl(declaration) => self.check_encoding(declaration)?,
            _ => {}
        }
        Ok(event)
    }

    /// DOCTYPE and entity declarations reject the file; any other error truncates it.
    fn to_xml_error(&self, error: &Error) -> XmlError {
        let at_end = || {
            let at = usize::try_from(self.reader.error_position()).ok();
            at.and_then(|at| self.input.get(at..)) == Some("<!")
        };
        match error {
            Error::Syntax(SyntaxError::UnclosedDoctype)
            | Error::IllFormed(IllFormedError::MissingDoctypeName) => doctype_error(),
            // `<!ENTITY` and similar, unless the file ends right after `<!`.
            Error::Syntax(SyntaxError::InvalidBangMarkup) if !at_end() => doctype_error(),
            _ => XmlError::Truncated,
        }
    }

    /// A declared encoding does not matter for ASCII text; otherwise we must support it.
    fn check_encoding(&self, declaration: &BytesDecl<'_>) -> Result<(), XmlError> {
        let Some(Ok(name)) = declaration.encoding() else { return Ok(()) };
        let known = ["utf-8", "utf8", "utf-16", "utf-16le", "utf-16be"];
        if known.iter().any(|known| name.eq_ignore_ascii_case(known)) || self.input.is_ascii() {
            return Ok(());
        }
        Err(XmlError::new("declared encoding is not UTF-8 or UTF-16"))
    }
}

fn doctype_error() -> XmlError {
    XmlError::new("contains a DOCTYPE, which is not allowed")
}

/// Appends up to `MAX_TEXT`, in whole characters.
fn append(text: &mut String, more: &str) {
    let room = MAX_TEXT.saturating_sub(text.len());
    text.push_str(&more[..more.floor_char_boundary(room)]);
}

/// Decodes the five predefined entities and character references; others stay as they are.
fn append_reference(text: &mut String, reference: &BytesRef<'_>) {
    let predefined = match &**reference {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => reference.resolve_char_ref().ok().flatten(),
    };
    match predefined {
        Some(c) => append(text, c.encode_utf8(&mut [0; 4])),
        None => {
            append(text, "&");
            append(text, reference);
            append(text, ";");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first element's text.
    fn text_of(document: &str) -> Result<String, XmlError> {
        let mut xml = XmlReader::new(document);
        xml.next_element(0)?.expect("an element");
        xml.text().map(str::to_owned)
    }

    fn refusal(stop: XmlError) -> String {
        match stop {
            XmlError::Refused(reason) => reason.to_string(),
            XmlError::Truncated => "cut".to_owned(),
        }
    }

    #[test]
    fn text_is_decoded_and_custom_entities_are_not() {
        for (document, text) in [
            ("<n> Lake &amp; hill &lt;3 </n>", "Lake & hill <3"),
            ("<n>Z&#252;rich &#x1F3C3;</n>", "Zürich 🏃"),
            ("<n>a &nbsp; &boom; b</n>", "a &nbsp; &boom; b"),
            ("<n>&#0;&#xD800;&#99999999999;</n>", "&#0;&#xD800;&#99999999999;"),
            ("<n>fish & chips</n>", "fish & chips"),
            ("<n><![CDATA[<b>&amp;</b>]]></n>", "<b>&amp;</b>"),
            ("<n><!-- 1 --><v> 140 </v><?x y?></n>", "140"),
            ("<n/>", ""),
        ] {
            assert_eq!(text_of(document).unwrap(), text, "{document}");
        }
    }

    #[test]
    fn doctype_is_refused_anywhere() {
        for document in [
            "<!DOCTYPE n><n/>",
            "<!doctype n [<!ENTITY a \"b\">]><n>&a;</n>",
            "<n><!DOCTYPE n></n>",
            "<n><!ENTITY a \"b\"></n><!",
            "<!DOCTYPE><n/>",
            "<!DOCTYPE n [",
        ] {
            let reason = refusal(text_of(document).unwrap_err());
            assert_eq!(reason, "contains a DOCTYPE, which is not allowed", "{document}");
        }
        assert_eq!(text_of("<n>1<!").unwrap_err(), XmlError::Truncated);
    }

    #[test]
    fn nesting_text_and_counts_are_limited() {
        let nested = |depth: usize| "<n>".repeat(depth) + &"</n>".repeat(depth);
        assert_eq!(text_of(&nested(MAX_DEPTH)).unwrap(), "");
        let reason = refusal(text_of(&nested(MAX_DEPTH + 1)).unwrap_err());
        assert_eq!(reason, "XML nested more than 64 levels deep");

        let long = format!("<n>{}</n>", "ü".repeat(MAX_TEXT));
        assert_eq!(text_of(&long).unwrap().len(), MAX_TEXT);
        let mut xml = XmlReader::new(&long);
        xml.next_element(0).unwrap();
        assert_eq!(xml.name().unwrap().unwrap(), "ü".repeat(MAX_NAME));
        let mut xml = XmlReader::new("<n>a\0b</n>");
        xml.next_element(0).unwrap();
        assert_eq!(xml.name().unwrap().as_deref(), Some("ab"), "NUL cannot be stored");

        assert!((0..MAX_POINTS).all(|_| xml.count_point().is_ok()));
        assert_eq!(refusal(xml.count_point().unwrap_err()), "more than 2000000 points");
        assert!((0..MAX_PARTS).all(|_| xml.count_part().is_ok()));
        assert_eq!(refusal(xml.count_part().unwrap_err()), "more than 10000 tracks or laps");
    }

    #[test]
    fn children_of_wrappers_and_siblings_are_found() {
        let mut xml = XmlReader::new("<p><x:e><y:t><y:hr>140</y:hr></y:t></x:e><cad>80</cad></p><after/>");
        assert_eq!(xml.next_element(0).unwrap().unwrap().name(), "p");
        let depth = xml.depth();
        let mut seen = Vec::new();
        while let Some(element) = xml.next_element(depth).unwrap() {
            seen.push(element.name().to_owned());
            if seen.last().unwrap() == "hr" {
                assert_eq!(xml.number().unwrap(), Some(140.0));
            }
        }
        assert_eq!(seen, ["e", "t", "hr", "cad"]);
    }

    #[test]
    fn attribute_is_found_by_local_name_and_limited() {
        let long = "9".repeat(MAX_ATTRIBUTE + 1);
        let document = format!("<p x:lat='1.5' lon = \"-2\" long='{long}' nul='\0' bare/>");
        let mut xml = XmlReader::new(&document);
        let element = xml.next_element(0).unwrap().unwrap();
        assert_eq!(element.attribute("lat").as_deref(), Some("1.5"));
        assert_eq!(element.attribute("lon").as_deref(), Some("-2"));
        assert_eq!(element.attribute("long"), None);
        assert_eq!(element.attribute("nul"), None);
        assert_eq!(element.attribute("bare"), None);
    }

    #[test]
    fn encodings_are_decoded_or_refused() {
        let document = "<?xml version=\"1.0\"?><n>Zürich 🏃</n>";
        let utf16 = |unit: fn(u16) -> [u8; 2]| -> Vec<u8> {
            format!("\u{feff}{document}").encode_utf16().flat_map(unit).collect()
        };
        let bom = format!("\u{feff}{document}").into_bytes();
        // A device that lost power leaves NULs at the end.
        let spaces = format!("  \r\n{document}\0\0").into_bytes();
        for bytes in
            [document.as_bytes().to_vec(), bom, spaces, utf16(u16::to_le_bytes), utf16(u16::to_be_bytes)]
        {
            assert_eq!(text_of(&decode(&bytes).unwrap()).unwrap(), "Zürich 🏃");
        }
        for (bytes, reason) in [
            (&b""[..], "empty file"),
            (b" \n ", "empty file"),
            (b"\x0e\x10\x43\x08.FIT", "not XML"),
            (b"<\0n\0/\0>\0", "not XML"),
            (b"\xff\xfe\0\0<\0\0\0n\0\0\0", "not XML"),
            (b"<n>Z\xfcrich</n>", "not UTF-8 or UTF-16 text"),
        ] {
            assert_eq!(decode(bytes).unwrap_err().to_string(), reason, "{bytes:?}");
        }
        assert_eq!(decode(b"<n>Z\xc3").unwrap(), "<n>Z", "cut within a character");
    }

    #[test]
    fn content_decides_encoding_not_declaration() {
        let declared = |encoding, text| format!("<?xml version='1.0' encoding='{encoding}'?><n>{text}</n>");
        assert_eq!(text_of(&declared("ISO-8859-1", "run")).unwrap(), "run");
        assert_eq!(text_of(&declared("utf-16", "Zürich")).unwrap(), "Zürich");
        let reason = refusal(text_of(&declared("ISO-8859-1", "Zürich")).unwrap_err());
        assert_eq!(reason, "declared encoding is not UTF-8 or UTF-16");
    }
}
