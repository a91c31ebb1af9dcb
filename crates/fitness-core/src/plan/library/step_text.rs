//! Reads steps as the data files write them: `3 x (8 min threshold, 2 min jog), 5 min easy`.

use super::{Effort, Length, LibraryStep};

const MAX_REPEATS: usize = 30;

/// Parses a list of steps; repeats are written out.
pub(super) fn parse(text: &str) -> Result<Vec<LibraryStep>, String> {
    let mut steps = Vec::new();
    for item in split_items(text)? {
        match item.split_once(" x (") {
            Some((count, inner)) => {
                let inner = inner.strip_suffix(')').ok_or_else(|| format!("`{item}` lacks a `)`"))?;
                let count: usize = count.trim().parse().map_err(|_| format!("`{count}` is not a number"))?;
                if !(2..=MAX_REPEATS).contains(&count) {
                    return Err(format!("{count} repeats; 2 to {MAX_REPEATS} are allowed"));
                }
                let repeated = parse(inner)?;
                steps.extend(repeated.iter().copied().cycle().take(count * repeated.len()));
            }
            None => steps.push(parse_step(item)?),
        }
    }
    Ok(steps)
}

/// Splits at commas outside parentheses.
fn split_items(text: &str) -> Result<Vec<&str>, String> {
    let (mut items, mut depth, mut start) = (Vec::new(), 0_i32, 0);
    for (at, char) in text.char_indices() {
        match char {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                items.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    if depth != 0 {
        return Err(format!("`{text}` has unbalanced parentheses"));
    }
    items.push(text[start..].trim());
    items.retain(|item| !item.is_empty());
    Ok(items)
}

/// `8 min threshold`.
fn parse_step(text: &str) -> Result<LibraryStep, String> {
    let mut words = text.splitn(3, ' ');
    let (Some(amount), Some(unit), Some(effort)) = (words.next(), words.next(), words.next()) else {
        return Err(format!("`{text}` is not a step such as `8 min threshold`"));
    };
    let amount: f64 = amount.parse().map_err(|_| format!("`{amount}` is not a number"))?;
    let length = match unit {
        "s" => Length::Seconds(amount),
        "min" => Length::Seconds(amount * 60.0),
        "m" => Length::Meters(amount),
        "km" => Length::Meters(amount * 1000.0),
        other => return Err(format!("`{other}` is not a unit; write s, min, m or km")),
    };
    let effort: Effort = effort.parse().map_err(|error: crate::ParseEnumError| error.to_string())?;
    Ok(LibraryStep { length, effort })
}
