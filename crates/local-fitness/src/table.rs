//! Text tables: each column is as wide as its widest cell.

use std::fmt::Write;

/// The last column is not padded.
pub(crate) fn table<const N: usize>(header: [&str; N], rows: &[[String; N]]) -> String {
    let mut widths = header.map(width);
    for row in rows {
        for (widest, cell) in widths.iter_mut().zip(row) {
            *widest = (*widest).max(width(cell));
        }
    }
    let mut out = String::new();
    let mut line = |cells: [&str; N]| {
        let mut text = String::new();
        for (i, cell) in cells.iter().enumerate() {
            let padding = if i + 1 == N { 0 } else { widths[i] - width(cell) + 2 };
            write!(text, "{cell}{:padding$}", "").expect("writing to a string cannot fail");
        }
        out.push_str(text.trim_end());
        out.push('\n');
    };
    line(header);
    for row in rows {
        line(std::array::from_fn(|i| row[i].as_str()));
    }
    out
}

fn width(text: &str) -> usize {
    unicode_width::UnicodeWidthStr::width(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_align_with_wide_characters() {
        let rows = [
            ["1".to_owned(), "Zürich 🏃".to_owned(), "x".to_owned()],
            ["12".to_owned(), "a".to_owned(), String::new()],
        ];
        assert_eq!(table(["id", "name", ""], &rows), "id  name\n1   Zürich 🏃  x\n12  a\n");
    }
}
