//! Prose with facts in it: `Form is {{form}}.` becomes `Form is −18.`
//!
//! Whatever a model writes, the numbers an athlete reads are those of the facts. So prose holds no digit of its own,
//! and nothing stands so close to a placeholder that the number would read as another one: no minus before it, no
//! second number right after it, no letter that the eye takes for a unit, nothing that turns the direction of writing.

use super::{Fact, FactId, Facts};
use crate::domain::units::UnitSystem;
use crate::domain::untrusted_text::is_invisible;
use crate::metrics::MissingReason;
use std::collections::BTreeSet;
use std::fmt;

/// Prose that is not shown, and everything that is wrong with it, so that one more try can mend it all.
#[derive(Debug, Clone, PartialEq)]
pub struct TemplateError(Vec<ProseError>);

impl TemplateError {
    /// What is wrong with it, each once; at least one.
    #[must_use]
    pub fn errors(&self) -> &[ProseError] {
        &self.0
    }
}

impl fmt::Display for TemplateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, fault) in self.0.iter().enumerate() {
            write!(f, "{}{fault}", if at == 0 { "" } else { "; " })?;
        }
        Ok(())
    }
}

impl std::error::Error for TemplateError {}

/// One thing that is wrong with prose.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ProseError {
    /// There is no such fact.
    #[error("`{0}` is not a fact")]
    Unknown(FactId),
    /// It would be a fact, but is not known.
    #[error("`{id}` is not known: {why}")]
    Missing {
        /// Which.
        id: FactId,
        /// Why.
        why: MissingReason,
    },
    /// Braces that hold no id.
    #[error("double braces hold the id of a fact and nothing else, as in {{{{fitness}}}}")]
    Braces,
    /// A digit, or another character that stands for a number.
    #[error("numbers are written as facts, not as `{0}`")]
    Digit(char),
    /// A character that is not seen but changes what is.
    #[error("the character U+{:04X} is not for prose", u32::from(*.0))]
    Hidden(char),
    /// Something next to a placeholder would make its number look like another one.
    #[error("put a space or a word between `{0}` and what stands beside it")]
    Glued(FactId),
    /// A predicted finish without both ends of its band.
    #[error("`{0}` is only told with both ends of its band, `{0}_low` and `{0}_high`")]
    WithoutBand(FactId),
}

/// A stretch of prose.
enum Piece<'a> {
    Text(&'a str),
    Fact(FactId),
}

impl Piece<'_> {
    const fn fact(&self) -> Option<&FactId> {
        match self {
            Self::Fact(id) => Some(id),
            Self::Text(_) => None,
        }
    }
}

/// A stretch of prose as it is told.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum TemplatePart<'a> {
    /// Words.
    Text(&'a str),
    /// A fact in its place.
    Fact(&'a Fact),
}

pub(super) fn render(facts: &Facts, prose: &str, units: UnitSystem) -> Result<String, TemplateError> {
    let told = parse(facts, prose)?;
    let shown = |told: &TemplatePart<'_>| match told {
        TemplatePart::Text(text) => (*text).to_owned(),
        TemplatePart::Fact(fact) => fact.format(units),
    };
    Ok(told.iter().map(shown).collect())
}

pub(super) fn parse<'a>(facts: &'a Facts, prose: &'a str) -> Result<Vec<TemplatePart<'a>>, TemplateError> {
    let mut faults = ProseErrors::default();
    let pieces = split_pieces(prose, &mut faults);
    let mut told = Vec::with_capacity(pieces.len());
    for (at, piece) in pieces.iter().enumerate() {
        match piece {
            Piece::Text(text) => {
                text.chars().filter_map(check_char).for_each(|fault| faults.push(fault));
                told.push(TemplatePart::Text(text));
            }
            Piece::Fact(id) => {
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
    if faults.0.is_empty() { Ok(told) } else { Err(TemplateError(faults.0)) }
}

/// Faults, each once. After the first twenty it is clear enough that the prose will not do.
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

/// Cuts prose at its placeholders. Two facts may follow each other without text between them.
fn split_pieces<'a>(prose: &'a str, faults: &mut ProseErrors) -> Vec<Piece<'a>> {
    let mut pieces = Vec::new();
    let mut rest = prose;
    loop {
        let (text, after) = rest.split_once("{{").map_or((rest, None), |(text, after)| (text, Some(after)));
        if text.contains("}}") {
            faults.push(ProseError::Braces);
        }
        if !text.is_empty() {
            pieces.push(Piece::Text(text));
        }
        let Some(after) = after else { return pieces };
        rest = match parse_placeholder(after) {
            Some((id, after)) => {
                pieces.push(Piece::Fact(id));
                after
            }
            None => {
                faults.push(ProseError::Braces);
                after
            }
        };
    }
}

/// The id up to closing braces, and what follows them. Looks no further than an id is long.
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

/// Whether a fact reads as itself between what stands before and after it.
fn is_separated(pieces: &[Piece<'_>], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| pieces.get(before));
    let (begins, between) = match before {
        None => (true, true),
        Some(Piece::Fact(_)) => (false, false),
        Some(Piece::Text(text)) => {
            let second = at.checked_sub(2).and_then(|second| pieces.get(second));
            (text.chars().next_back().is_none_or(may_precede), second.is_none() || separates_numbers(text))
        }
    };
    let ends = match pieces.get(at + 1) {
        None => true,
        Some(Piece::Fact(_)) => false,
        Some(Piece::Text(text)) => text.chars().next().is_none_or(may_follow),
    };
    begins && between && ends
}

/// Whether two numbers with this between them are two: `62 148` and `62'148` read as one.
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

/// Why a character cannot stand in prose.
fn check_char(c: char) -> Option<ProseError> {
    if is_number(c) {
        Some(ProseError::Digit(c))
    } else if (c.is_control() && c != '\n') || is_invisible(c) {
        Some(ProseError::Hidden(c))
    } else {
        None
    }
}

/// Whether a character stands for a number: every digit of every script, superscripts, fractions, Roman numerals,
/// numbers in circles (Unicode's Nd, Nl and No), and the symbols that show one without being one.
fn is_number(c: char) -> bool {
    c.is_numeric() || is_number_symbol(c)
}

/// Symbols with a number in them: a minus, dice, dominoes, cards, clock faces, a keycap, a hundred, `5.1` in a box, the
/// hours and days of East Asian telegraphy, square and cubic units.
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

fn check_prediction_intervals(pieces: &[Piece<'_>], faults: &mut ProseErrors) {
    let told: BTreeSet<&FactId> = pieces.iter().filter_map(Piece::fact).collect();
    for point in &told {
        if point.interval_ids().is_some_and(|ends| ends.iter().any(|end| !told.contains(end))) {
            faults.push(ProseError::WithoutBand((*point).clone()));
        }
    }
}
