//! Templates with fact placeholders: `Form is {{form}}.` becomes `Form is −18.`
//!
//! The text must not contain digits of its own, and nothing next to a placeholder may change how
//! its number reads: no minus before it, no second number or letter right after it, no
//! bidirectional control characters. So every number the athlete reads is the value of a fact.

use super::{Fact, FactId, Facts};
use crate::domain::units::UnitSystem;
use crate::domain::untrusted_text::is_invisible;
use crate::metrics::MissingReason;
use std::collections::BTreeSet;
use std::fmt;

/// Everything that is wrong with a template, so that one retry can fix it.
#[derive(Debug, Clone, PartialEq)]
pub struct TemplateErrors(Vec<ProseError>);

impl TemplateErrors {
    /// The errors without duplicates; never empty.
    #[must_use]
    pub fn errors(&self) -> &[ProseError] {
        &self.0
    }
}

impl fmt::Display for TemplateErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, fault) in self.0.iter().enumerate() {
            write!(f, "{}{fault}", if at == 0 { "" } else { "; " })?;
        }
        Ok(())
    }
}

impl std::error::Error for TemplateErrors {}

/// One error in a template.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ProseError {
    #[error("`{0}` is not a fact")]
    Unknown(FactId),
    /// A fact of the table without a value.
    #[error("`{id}` is unknown: {why}")]
    Missing { id: FactId, why: MissingReason },
    /// Braces without a valid id.
    #[error("double braces must contain one fact id, as in {{{{fitness}}}}")]
    Braces,
    /// A digit, or another character for a number.
    #[error("write numbers as facts, not as `{0}`")]
    Digit(char),
    /// An invisible or control character.
    #[error("the character U+{:04X} is not allowed", u32::from(*.0))]
    Hidden(char),
    /// Text next to a placeholder that would change how its number reads.
    #[error("put a space or a word between `{0}` and the text next to it")]
    Glued(FactId),
    /// A predicted time without both ends of its range.
    #[error("`{0}` needs both ends of its range, `{0}_low` and `{0}_high`")]
    WithoutBand(FactId),
}

/// A part of a template before lookup.
enum UnresolvedTemplatePart<'a> {
    Text(&'a str),
    Fact(FactId),
}

impl UnresolvedTemplatePart<'_> {
    const fn fact(&self) -> Option<&FactId> {
        match self {
            Self::Fact(id) => Some(id),
            Self::Text(_) => None,
        }
    }
}

/// A part of a template: text or a fact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum TemplatePart<'a> {
    Text(&'a str),
    Fact(&'a Fact),
}

pub(super) fn render(facts: &Facts, prose: &str, units: UnitSystem) -> Result<String, TemplateErrors> {
    let told = parse(facts, prose)?;
    let shown = |told: &TemplatePart<'_>| match told {
        TemplatePart::Text(text) => (*text).to_owned(),
        TemplatePart::Fact(fact) => fact.format_in_text(units),
    };
    Ok(told.iter().map(shown).collect())
}

pub(super) fn parse<'a>(facts: &'a Facts, prose: &'a str) -> Result<Vec<TemplatePart<'a>>, TemplateErrors> {
    let mut faults = ProseErrors::default();
    let pieces = split_pieces(prose, &mut faults);
    let mut told = Vec::with_capacity(pieces.len());
    for (at, piece) in pieces.iter().enumerate() {
        match piece {
            UnresolvedTemplatePart::Text(text) => {
                text.chars().filter_map(check_char).for_each(|fault| faults.push(fault));
                told.push(TemplatePart::Text(text));
            }
            UnresolvedTemplatePart::Fact(id) => {
                if !is_separated(&pieces, at) {
                    faults.push(ProseError::Glued(id.clone()));
                }
                match facts.find(id.as_str()) {
                    Some(fact) => told.push(TemplatePart::Fact(fact)),
                    None => faults.push(unknown_fact_error(facts, id)),
                }
            }
        }
    }
    check_prediction_intervals(&pieces, &mut faults);
    if faults.0.is_empty() { Ok(told) } else { Err(TemplateErrors(faults.0)) }
}

/// Errors without duplicates, at most [`Self::MAX_ERRORS`].
#[derive(Default)]
struct ProseErrors(Vec<ProseError>);

impl ProseErrors {
    const MAX_ERRORS: usize = 20;

    fn push(&mut self, fault: ProseError) {
        if self.0.len() < Self::MAX_ERRORS && !self.0.contains(&fault) {
            self.0.push(fault);
        }
    }
}

/// Splits a template at its placeholders; two facts may be adjacent.
fn split_pieces<'a>(prose: &'a str, faults: &mut ProseErrors) -> Vec<UnresolvedTemplatePart<'a>> {
    let mut pieces = Vec::new();
    let mut rest = prose;
    loop {
        let (text, after) = rest.split_once("{{").map_or((rest, None), |(text, after)| (text, Some(after)));
        if text.contains("}}") {
            faults.push(ProseError::Braces);
        }
        if !text.is_empty() {
            pieces.push(UnresolvedTemplatePart::Text(text));
        }
        let Some(after) = after else { return pieces };
        rest = match parse_placeholder(after) {
            Some((id, after)) => {
                pieces.push(UnresolvedTemplatePart::Fact(id));
                after
            }
            None => {
                faults.push(ProseError::Braces);
                after
            }
        };
    }
}

/// The id up to the closing braces, and the rest. Scans at most the length of an id.
fn parse_placeholder(after: &str) -> Option<(FactId, &str)> {
    let end = after.bytes().take(FactId::MAX_LEN + 1).position(|byte| byte == b'}')?;
    let (id, closing) = after.split_at_checked(end)?;
    Some((id.parse().ok()?, closing.strip_prefix("}}")?))
}

fn unknown_fact_error(facts: &Facts, id: &FactId) -> ProseError {
    match facts.missing_reason(id.as_str()) {
        Some(why) => ProseError::Missing { id: id.clone(), why: why.clone() },
        None => ProseError::Unknown(id.clone()),
    }
}

/// Whether the text before and after a fact leaves its number readable.
fn is_separated(pieces: &[UnresolvedTemplatePart<'_>], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| pieces.get(before));
    let (begins, between) = match before {
        None => (true, true),
        Some(UnresolvedTemplatePart::Fact(_)) => (false, false),
        Some(UnresolvedTemplatePart::Text(text)) => {
            let second = at.checked_sub(2).and_then(|second| pieces.get(second));
            (text.chars().next_back().is_none_or(may_precede), second.is_none() || separates_numbers(text))
        }
    };
    let ends = match pieces.get(at + 1) {
        None => true,
        Some(UnresolvedTemplatePart::Fact(_)) => false,
        Some(UnresolvedTemplatePart::Text(text)) => text.chars().next().is_none_or(may_follow),
    };
    begins && between && ends
}

/// Whether a text separates two numbers: `62 148` and `62'148` read as one number.
fn separates_numbers(text: &str) -> bool {
    text.chars().any(char::is_whitespace) && text.chars().any(|c| !c.is_whitespace())
}

const fn may_precede(c: char) -> bool {
    matches!(c, ' ' | '\n' | '(' | '[' | '"' | '\'' | '“' | '‘' | '„' | '«')
}

const fn may_follow(c: char) -> bool {
    matches!(
        c,
        ' ' | '\n'
            | '.'
            | ','
            | ';'
            | ':'
            | '!'
            | '?'
            | ')'
            | ']'
            | '"'
            | '\''
            | '”'
            | '’'
            | '“'
            | '»'
            | '…'
            | '—'
    )
}

/// Why a character is not allowed.
fn check_char(c: char) -> Option<ProseError> {
    if is_number(c) {
        Some(ProseError::Digit(c))
    } else if (c.is_control() && c != '\n') || is_invisible(c) {
        Some(ProseError::Hidden(c))
    } else {
        None
    }
}

/// Whether a character shows a number: digits of any script, superscripts, fractions, Roman
/// numerals, circled numbers (Unicode Nd, Nl and No), and symbols that contain one.
fn is_number(c: char) -> bool {
    c.is_numeric() || is_number_symbol(c)
}

/// Symbols with a number: minus, dice, dominoes, cards, clock faces, keycap, hundred, boxed `5.1`,
/// East Asian telegraph symbols for hours and days, square and cubic units.
const fn is_number_symbol(c: char) -> bool {
    matches!(
        c,
        '\u{2212}'
            | '\u{20e3}'
            | '\u{2680}'..='\u{2685}'
            | '\u{32c0}'..='\u{32cb}'
            | '\u{3358}'..='\u{3370}'
            | '\u{339f}'..='\u{33a6}'
            | '\u{33a8}'
            | '\u{33af}'
            | '\u{33e0}'..='\u{33fe}'
            | '\u{1f000}'..='\u{1f0ff}'
            | '\u{1f19b}'..='\u{1f1ac}'
            | '\u{1f4af}'
            | '\u{1f51f}'
            | '\u{1f550}'..='\u{1f567}'
            | '\u{1f947}'..='\u{1f949}'
    )
}

fn check_prediction_intervals(pieces: &[UnresolvedTemplatePart<'_>], faults: &mut ProseErrors) {
    let told: BTreeSet<&FactId> = pieces.iter().filter_map(UnresolvedTemplatePart::fact).collect();
    for point in &told {
        if point.interval_ids().is_some_and(|ends| ends.iter().any(|end| !told.contains(end))) {
            faults.push(ProseError::WithoutBand((*point).clone()));
        }
    }
}
