//! Dates and times as pages show them.

use chrono::Datelike as _;
use chrono_tz::Tz;
use fitness_core::domain::calendar::{Day, Instant};
use maud::{Markup, html};

pub(crate) fn short(day: Day) -> String {
    day.date().format("%a %-d %b").to_string()
}

/// `Saturday 14 June 2026`.
pub(crate) fn long(day: Day) -> String {
    day.date().format("%A %-d %B %Y").to_string()
}

/// `Sat 14 Jun`, with the year when it is not the current one.
pub(crate) fn short_with_year(day: Day, today: Day) -> String {
    if day.date().year() == today.date().year() {
        short(day)
    } else {
        day.date().format("%a %-d %b %Y").to_string()
    }
}

/// A `<time>` element with the full date as a tooltip.
pub(crate) fn element(day: Day, today: Day) -> Markup {
    html! { time datetime=(day) title=(long(day)) { (short_with_year(day, today)) } }
}

pub(crate) fn clock(at: Instant, zone: Tz) -> String {
    at.with_timezone(&zone).format("%H:%M").to_string()
}

/// `today at 07:12`, else `on Fri 13 Jun at 07:12`.
pub(crate) fn on_clock_or_date(at: Instant, zone: Tz, today: Day) -> String {
    let day = Day::at(at, zone);
    let on = if day == today { "today".to_owned() } else { format!("on {}", short_with_year(day, today)) };
    format!("{on} at {}", clock(at, zone))
}

/// `07:12` for today, else `Fri 13 Jun 07:12`.
pub(crate) fn clock_or_date(at: Instant, zone: Tz, today: Day) -> String {
    let day = Day::at(at, zone);
    if day == today {
        clock(at, zone)
    } else {
        format!("{} {}", short_with_year(day, today), clock(at, zone))
    }
}

/// Replaces ISO dates in a text of the core: `2026-08-23` becomes `23 Aug 2026`.
pub(crate) fn humanize_dates(text: &str) -> String {
    const LONG: usize = "2026-08-23".len();
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(|letter: char| letter.is_ascii_digit()) {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let end = from.find(|letter: char| !letter.is_ascii_digit() && letter != '-').unwrap_or(from.len());
        let (word, after) = from.split_at(end);
        match word.parse::<Day>().ok().filter(|_| word.len() == LONG) {
            Some(day) => out.push_str(&day.format_long()),
            None => out.push_str(word),
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::humanize_dates;

    #[test]
    fn iso_dates_are_replaced_and_other_numbers_stay() {
        for (text, expected) in [
            ("Paces follow from your result of 2026-08-23.", "Paces follow from your result of 23 Aug 2026."),
            ("2026-08-23 to 2026-09-01", "23 Aug 2026 to 1 Sep 2026"),
            ("5-10 km in 46:03, 12-2026", "5-10 km in 46:03, 12-2026"),
            ("2026-13-45 and 12026-08-23", "2026-13-45 and 12026-08-23"),
            ("", ""),
            ("Größe 8 × 1 min", "Größe 8 × 1 min"),
        ] {
            assert_eq!(humanize_dates(text), expected);
        }
    }
}
