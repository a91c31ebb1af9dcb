//! Prose as words, facts and stops.

use crate::facts::FactId;

/// A piece of prose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Token<'a> {
    /// A word, as it was written, and in small letters without accents.
    Word {
        raw: &'a str,
        plain: String,
        /// Whether nothing but a hyphen stands between it and the word before.
        joined: bool,
    },
    Fact(&'a str),
    /// The end of a sentence.
    Stop,
    /// Anything else that is seen.
    Mark(char),
}

impl Token<'_> {
    /// The word, in small letters without accents.
    pub(crate) fn word(&self) -> Option<&str> {
        match self {
            Self::Word { plain, .. } => Some(plain),
            Self::Fact(_) | Self::Stop | Self::Mark(_) => None,
        }
    }
}

/// Cuts prose into tokens. What is in double braces is a fact where it can be one.
pub(crate) fn tokens(prose: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut rest = prose;
    let mut joined = false;
    while let Some(c) = rest.chars().next() {
        if let Some((id, after)) = fact(rest) {
            tokens.push(Token::Fact(id));
            (rest, joined) = (after, false);
            continue;
        }
        if c.is_alphanumeric() {
            let end = rest.find(|c: char| !in_a_word(c)).unwrap_or(rest.len());
            let raw = rest[..end].trim_end_matches(['\'', '’']);
            tokens.push(Token::Word { raw, plain: plain(raw), joined });
            rest = &rest[end..];
            let mut after = rest.chars();
            let hyphen = after.next().is_some_and(is_hyphen);
            joined = hyphen && after.next().is_some_and(char::is_alphanumeric);
            if joined {
                rest = &rest[rest.chars().next().map_or(0, char::len_utf8)..];
            }
            continue;
        }
        match c {
            '.' | '!' | '?' | ';' | '…' | '\n' => tokens.push(Token::Stop),
            c if c.is_whitespace() => {}
            c => tokens.push(Token::Mark(c)),
        }
        joined = false;
        rest = &rest[c.len_utf8()..];
    }
    tokens
}

/// A placeholder at the beginning of a text, and what follows it. Looks no further than an id is long.
fn fact(text: &str) -> Option<(&str, &str)> {
    let inside = text.strip_prefix("{{")?;
    let end = inside.bytes().take(FactId::MAX_LEN + 1).position(|byte| byte == b'}')?;
    let id = inside.get(..end)?;
    let after = inside.get(end..)?.strip_prefix("}}")?;
    id.parse::<FactId>().ok().map(|_| (id, after))
}

fn in_a_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '\'' | '’')
}

const fn is_hyphen(c: char) -> bool {
    matches!(c, '-' | '‐' | '‑')
}

/// A word in small letters, without accents and with one kind of apostrophe.
fn plain(word: &str) -> String {
    word.chars().map(|c| letter(c).unwrap_or(c)).collect()
}

/// What a letter is without its case and accent; `None` for what is no letter of English or its neighbours.
pub(crate) const fn letter(c: char) -> Option<char> {
    Some(match c {
        'A'..='Z' => c.to_ascii_lowercase(),
        'a'..='z' | 'ß' | 'æ' | 'œ' => c,
        'À'..='Å' | 'à'..='å' | 'Ā'..='ą' => 'a',
        'Ç' | 'ç' | 'Ć'..='č' => 'c',
        'Ď'..='đ' => 'd',
        'È'..='Ë' | 'è'..='ë' | 'Ē'..='ě' => 'e',
        'Ğ'..='ģ' => 'g',
        'Ì'..='Ï' | 'ì'..='ï' | 'Ĩ'..='ı' => 'i',
        'Ł' | 'ł' => 'l',
        'Ñ' | 'ñ' | 'Ń'..='ň' => 'n',
        'Ò'..='Ö' | 'Ø' | 'ò'..='ö' | 'ø' | 'Ō'..='ő' => 'o',
        'Ŕ'..='ř' => 'r',
        'Ś'..='š' => 's',
        'Ţ'..='ť' => 't',
        'Ù'..='Ü' | 'ù'..='ü' | 'Ũ'..='ų' => 'u',
        'Ý' | 'ý' | 'ÿ' | 'Ÿ' => 'y',
        'Ź'..='ž' => 'z',
        '’' => '\'',
        _ => return None,
    })
}

/// Whether the words from a place on are these. Marks other than a hyphen part words.
pub(crate) fn words_at(tokens: &[Token<'_>], at: usize, phrase: &str) -> bool {
    let mut rest = tokens.get(at..).unwrap_or_default().iter();
    phrase.split(' ').all(|word| rest.next().and_then(Token::word) == Some(word))
}

/// The sentences, each with its tokens.
pub(crate) fn sentences<'t, 'a>(tokens: &'t [Token<'a>]) -> impl Iterator<Item = &'t [Token<'a>]> {
    tokens.split(|token| *token == Token::Stop).filter(|sentence| !sentence.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_is_words_facts_and_stops() {
        let told = |prose: &str| {
            let word = |token: &Token<'_>| match token {
                Token::Word { plain, joined, .. } => format!("{}{plain}", if *joined { "-" } else { "" }),
                Token::Fact(id) => format!("<{id}>"),
                Token::Stop => ".".to_owned(),
                Token::Mark(c) => c.to_string(),
            };
            tokens(prose).iter().map(word).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(told("It’s Fívè-ish, {{load_7_days}}!\nNo"), "it's five -ish , <load_7_days> . . no");
        assert_eq!(told("a - b -c"), "a - b - c");
        assert_eq!(told("{{Bad}} {{x"), "{ { bad } } { { x");
        assert_eq!(told("athletes' {{a}}{{b}}"), "athletes <a> <b>");
        assert_eq!(told("日本 ⅻ"), "日本 ⅻ");
        assert_eq!(told(&"{{".repeat(3)), "{ { { { { {");
        assert_eq!(told("x-{{a}} x-"), "x - <a> x -");
    }
}
