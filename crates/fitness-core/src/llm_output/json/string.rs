//! A string in double quotes, with its escapes.

use super::{Reader, ValidationErrorCode, quote};

impl Reader<'_> {
    /// Reads a string; one fault for all that is wrong within it. `None` when it does not end.
    pub(super) fn string(&mut self, path: &str) -> Option<String> {
        self.position += 1;
        let mut text = String::new();
        let mut problem = None;
        loop {
            text.push_str(self.take_while(|c| c != '"' && c != '\\' && c >= ' '));
            let Some(c) = self.peek() else {
                self.unfinished(path);
                return None;
            };
            self.position += c.len_utf8();
            match c {
                '"' => break,
                '\\' => match self.escape() {
                    Ok(c) => text.push(c),
                    Err(message) => {
                        text.push(char::REPLACEMENT_CHARACTER);
                        problem.get_or_insert(message);
                    }
                },
                c => {
                    text.push(c);
                    problem.get_or_insert_with(|| {
                        let name = match c {
                            '\n' => "\\n".to_owned(),
                            '\r' => "\\r".to_owned(),
                            '\t' => "\\t".to_owned(),
                            c => format!("\\u{:04x}", u32::from(c)),
                        };
                        format!("there is a control character in it; write `{name}`")
                    });
                }
            }
        }
        if let Some(problem) = problem {
            let message = format!("The string {} is not JSON: {problem}.", quote(&text));
            self.errors.add(path, ValidationErrorCode::BadString, message);
        }
        Some(text)
    }

    /// What follows a backslash.
    fn escape(&mut self) -> Result<char, String> {
        let Some(c) = self.peek() else { return Err("it ends in a backslash".to_owned()) };
        self.position += c.len_utf8();
        Ok(match c {
            '"' | '\\' | '/' => c,
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => return self.unicode(),
            c => return Err(format!("`\\{c}` is not an escape; write a backslash as `\\\\`")),
        })
    }

    fn unicode(&mut self) -> Result<char, String> {
        let half =
            || "`\\u` needs four hexadecimal digits, and characters above U+FFFF need a pair".to_owned();
        let first = self.four_digits().ok_or_else(half)?;
        let code = match first {
            0xd800..=0xdbff => {
                let second = self.rest().starts_with("\\u").then(|| {
                    self.position += 2;
                    self.four_digits()
                });
                let second =
                    second.flatten().filter(|low| (0xdc00..=0xdfff).contains(low)).ok_or_else(half)?;
                0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00)
            }
            first => first,
        };
        char::from_u32(code).ok_or_else(half)
    }

    fn four_digits(&mut self) -> Option<u32> {
        let digits = self.rest().get(..4).filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()))?;
        self.position += 4;
        u32::from_str_radix(digits, 16).ok()
    }
}
