//! A bounded pull reader for the XML that devices and apps write.
//!
//! It knows elements by their local name, because prefixes differ from one exporter to the next. What it
//! lacks on purpose: namespaces, DOCTYPE, and entities of the file's own making, so that no file can grow
//! while it is read.
//!
//! Start reading at [`Pull::open_within`]: every reader is a loop over it.

use crate::error::ParseError;
use fitness_core::domain::untrusted_text::is_storable;
use quick_xml::Reader;
use quick_xml::errors::{Error, IllFormedError, SyntaxError};
use quick_xml::events::{BytesDecl, BytesRef, BytesStart, Event};
use std::borrow::Cow;

/// Activity files are about ten deep; the readers recurse no deeper than this.
const MAX_DEPTH: usize = 64;
/// 23 days at one point a second.
const MAX_POINTS: usize = 2_000_000;
/// Tracks, activities and laps. What has no points costs memory too.
const MAX_PARTS: usize = 10_000;
/// How much of an element's text is kept.
const MAX_TEXT: usize = 64 * 1024;
/// An attribute longer than this is no coordinate, no sport and no time.
const MAX_ATTRIBUTE: usize = 256;
/// How many characters of a name are kept.
const MAX_NAME: usize = 200;

/// Why reading stopped before the document's end.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum XmlError {
    /// The file ends or breaks in the middle. What came before is good.
    Truncated,
    /// The file is not to be read at all.
    Refused(ParseError),
}

impl XmlError {
    pub(crate) fn refused(reason: impl Into<String>) -> Self {
        Self::Refused(ParseError::new(reason))
    }
}

/// The text of a file in UTF-8, or in UTF-16 with a byte order mark.
///
/// The bytes decide and not the declaration: programs exist that write UTF-8 and call it UTF-16.
pub(crate) fn decode(bytes: &[u8]) -> Result<Cow<'_, str>, ParseError> {
    let text = match bytes {
        [0xff, 0xfe, rest @ ..] => Cow::Owned(decode_utf16(rest, u16::from_le_bytes)),
        [0xfe, 0xff, rest @ ..] => Cow::Owned(decode_utf16(rest, u16::from_be_bytes)),
        _ => match str::from_utf8(bytes) {
            Ok(text) => Cow::Borrowed(text),
            // Cut within a character: the reader will find the cut itself.
            Err(error) if error.error_len().is_none() => {
                let whole = str::from_utf8(&bytes[..error.valid_up_to()]);
                Cow::Borrowed(whole.expect("the error says that it is valid up to there"))
            }
            Err(_) => return Err(ParseError::new("it is neither UTF-8 nor UTF-16 text")),
        },
    };
    let opening = text.trim_start_matches('\u{feff}').trim_start();
    let tag = |rest: &str| rest.starts_with(|c: char| c.is_alphabetic() || matches!(c, '?' | '!' | '_'));
    if opening.is_empty() {
        Err(ParseError::new("it is empty"))
    } else if !opening.strip_prefix('<').is_some_and(tag) {
        Err(ParseError::new("it is not XML"))
    } else {
        Ok(text)
    }
}

fn decode_utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units = bytes.as_chunks().0.iter().map(|pair| unit(*pair));
    char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

/// An element that was just opened.
#[derive(Debug)]
pub(crate) struct Element<'a>(BytesStart<'a>);

impl Element<'_> {
    /// Its name without a prefix.
    pub(crate) fn name(&self) -> &str {
        self.0.local_name().into_inner()
    }

    /// An attribute as it is written; none of those that matter would need a character reference.
    pub(crate) fn attribute(&self, name: &str) -> Option<Cow<'_, str>> {
        let mut attributes = self.0.attributes();
        // Looking for duplicates would take quadratic time.
        let found = attributes.with_checks(false).flatten().find(|a| a.key.local_name().into_inner() == name);
        let value = found.map(|attribute| attribute.value);
        value.filter(|value| value.len() <= MAX_ATTRIBUTE && is_storable(value))
    }
}

/// Reads a document from front to back, within bounds.
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
        // Quick-xml would pass over a byte order mark without counting it.
        let input = input.trim_start_matches('\u{feff}');
        let mut reader = Reader::from_str(input);
        let config = reader.config_mut();
        config.expand_empty_elements = true;
        config.allow_dangling_amp = true;
        Self { input, reader, depth: 0, points: 0, parts: 0, text: String::new() }
    }

    /// How many elements are open.
    pub(crate) fn depth(&self) -> usize {
        self.depth
    }

    /// The next element opened within the one at this depth; `None` once that one has closed.
    ///
    /// An element that is not read with [`Self::text`] or passed over with [`Self::skip`] is entered: its
    /// children come next. That is how wrappers such as `Extensions` are looked through.
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

    /// Passes over the element just opened.
    pub(crate) fn skip(&mut self) -> Result<(), XmlError> {
        let depth = self.depth;
        while self.depth >= depth {
            self.next_event()?;
        }
        Ok(())
    }

    /// All text within the element just opened, without the spaces around it.
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

    /// The number that the element just opened holds; `None` when it is none, or not a finite one.
    pub(crate) fn number(&mut self) -> Result<Option<f64>, XmlError> {
        Ok(self.text()?.parse().ok().filter(|number: &f64| number.is_finite()))
    }

    /// The element's text as a name: short, and `None` when there is nothing in it.
    pub(crate) fn name(&mut self) -> Result<Option<String>, XmlError> {
        // As `is_storable` would have it.
        let name: String = self.text()?.chars().filter(|c| *c != '\0').take(MAX_NAME).collect();
        Ok((!name.is_empty()).then_some(name))
    }

    /// Counts one more point of a track.
    pub(crate) fn count_point(&mut self) -> Result<(), XmlError> {
        self.points += 1;
        if self.points > MAX_POINTS {
            return Err(XmlError::refused(format!("it has more than {MAX_POINTS} points")));
        }
        Ok(())
    }

    /// Counts one more track, activity or lap.
    pub(crate) fn count_part(&mut self) -> Result<(), XmlError> {
        self.parts += 1;
        if self.parts > MAX_PARTS {
            return Err(XmlError::refused(format!("it has more than {MAX_PARTS} tracks or laps")));
        }
        Ok(())
    }

    fn next_event(&mut self) -> Result<Event<'a>, XmlError> {
        let event = self.reader.read_event().map_err(|error| self.to_xml_error(&error))?;
        match &event {
            Event::Start(_) if self.depth == MAX_DEPTH => {
                return Err(XmlError::refused(format!("it is nested more than {MAX_DEPTH} deep")));
            }
            Event::Start(_) => self.depth += 1,
            // Quick-xml has matched it with its start.
            Event::End(_) => self.depth = self.depth.saturating_sub(1),
            Event::Eof if self.depth > 0 => return Err(XmlError::Truncated),
            Event::DocType(_) => return Err(doctype_error()),
            Event::Decl(declaration) => self.check_encoding(declaration)?,
            _ => {}
        }
        Ok(event)
    }

    /// A declaration is refused wherever it stands; any other break is where the good part ends.
    fn to_xml_error(&self, error: &Error) -> XmlError {
        let at_end = || {
            let at = usize::try_from(self.reader.error_position()).ok();
            at.and_then(|at| self.input.get(at..)) == Some("<!")
        };
        match error {
            Error::Syntax(SyntaxError::UnclosedDoctype)
            | Error::IllFormed(IllFormedError::MissingDoctypeName) => doctype_error(),
            // `<!ENTITY` and the like, unless the file ends right after the `<!`.
            Error::Syntax(SyntaxError::InvalidBangMarkup) if !at_end() => doctype_error(),
            _ => XmlError::Truncated,
        }
    }

    /// In plain ASCII every declared encoding reads the same; otherwise it must be one we decode.
    fn check_encoding(&self, declaration: &BytesDecl<'_>) -> Result<(), XmlError> {
        let Some(Ok(name)) = declaration.encoding() else { return Ok(()) };
        let known = ["utf-8", "utf8", "utf-16", "utf-16le", "utf-16be"];
        if known.iter().any(|known| name.eq_ignore_ascii_case(known)) || self.input.is_ascii() {
            return Ok(());
        }
        Err(XmlError::refused("it says that it is neither UTF-8 nor UTF-16 text"))
    }
}

fn doctype_error() -> XmlError {
    XmlError::refused("it has a DOCTYPE, which no activity needs")
}

/// Appends as much as there is room for, in whole characters.
fn append(text: &mut String, more: &str) {
    let room = MAX_TEXT.saturating_sub(text.len());
    text.push_str(&more[..more.floor_char_boundary(room)]);
}

/// Decodes the five predefined entities and characters by number; any other stays as it is written.
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
    fn text_is_decoded_and_foreign_entities_are_not() {
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
    fn a_declaration_is_refused_wherever_it_stands() {
        for document in [
            "<!DOCTYPE n><n/>",
            "<!doctype n [<!ENTITY a \"b\">]><n>&a;</n>",
            "<n><!DOCTYPE n></n>",
            "<n><!ENTITY a \"b\"></n><!",
            "<!DOCTYPE><n/>",
            "<!DOCTYPE n [",
        ] {
            let reason = refusal(text_of(document).unwrap_err());
            assert_eq!(reason, "it has a DOCTYPE, which no activity needs", "{document}");
        }
        assert_eq!(text_of("<n>1<!").unwrap_err(), XmlError::Truncated);
    }

    #[test]
    fn nesting_text_and_counts_have_bounds() {
        let nested = |depth: usize| "<n>".repeat(depth) + &"</n>".repeat(depth);
        assert_eq!(text_of(&nested(MAX_DEPTH)).unwrap(), "");
        let reason = refusal(text_of(&nested(MAX_DEPTH + 1)).unwrap_err());
        assert_eq!(reason, "it is nested more than 64 deep");

        let long = format!("<n>{}</n>", "ü".repeat(MAX_TEXT));
        assert_eq!(text_of(&long).unwrap().len(), MAX_TEXT);
        let mut xml = XmlReader::new(&long);
        xml.next_element(0).unwrap();
        assert_eq!(xml.name().unwrap().unwrap(), "ü".repeat(MAX_NAME));
        let mut xml = XmlReader::new("<n>a\0b</n>");
        xml.next_element(0).unwrap();
        assert_eq!(xml.name().unwrap().as_deref(), Some("ab"), "what a database cannot keep");

        assert!((0..MAX_POINTS).all(|_| xml.count_point().is_ok()));
        assert_eq!(refusal(xml.count_point().unwrap_err()), "it has more than 2000000 points");
        assert!((0..MAX_PARTS).all(|_| xml.count_part().is_ok()));
        assert_eq!(refusal(xml.count_part().unwrap_err()), "it has more than 10000 tracks or laps");
    }

    #[test]
    fn wrappers_are_looked_through_and_siblings_are_not_lost() {
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
    fn an_attribute_is_found_by_its_local_name_and_bounded() {
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
    fn bytes_become_text_or_a_reason() {
        let document = "<?xml version=\"1.0\"?><n>Zürich 🏃</n>";
        let utf16 = |unit: fn(u16) -> [u8; 2]| -> Vec<u8> {
            format!("\u{feff}{document}").encode_utf16().flat_map(unit).collect()
        };
        let bom = format!("\u{feff}{document}").into_bytes();
        // A device that lost power leaves NULs where the rest was to be.
        let spaces = format!("  \r\n{document}\0\0").into_bytes();
        for bytes in
            [document.as_bytes().to_vec(), bom, spaces, utf16(u16::to_le_bytes), utf16(u16::to_be_bytes)]
        {
            assert_eq!(text_of(&decode(&bytes).unwrap()).unwrap(), "Zürich 🏃");
        }
        for (bytes, reason) in [
            (&b""[..], "it is empty"),
            (b" \n ", "it is empty"),
            (b"\x0e\x10\x43\x08.FIT", "it is not XML"),
            (b"<\0n\0/\0>\0", "it is not XML"),
            (b"\xff\xfe\0\0<\0\0\0n\0\0\0", "it is not XML"),
            (b"<n>Z\xfcrich</n>", "it is neither UTF-8 nor UTF-16 text"),
        ] {
            assert_eq!(decode(bytes).unwrap_err().to_string(), reason, "{bytes:?}");
        }
        assert_eq!(decode(b"<n>Z\xc3").unwrap(), "<n>Z", "cut within a character");
    }

    #[test]
    fn the_bytes_decide_and_not_the_declaration() {
        let declared = |encoding, text| format!("<?xml version='1.0' encoding='{encoding}'?><n>{text}</n>");
        assert_eq!(text_of(&declared("ISO-8859-1", "run")).unwrap(), "run");
        assert_eq!(text_of(&declared("utf-16", "Zürich")).unwrap(), "Zürich");
        let reason = refusal(text_of(&declared("ISO-8859-1", "Zürich")).unwrap_err());
        assert_eq!(reason, "it says that it is neither UTF-8 nor UTF-16 text");
    }
}
