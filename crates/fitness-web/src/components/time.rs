//! Days and moments as people read them.

use chrono::Datelike as _;
use chrono_tz::Tz;
use fitness_core::domain::calendar::{Day, Instant};
use maud::{Markup, html};

/// `Sat 14 Jun`.
pub(crate) fn short(day: Day) -> String {
    day.date().format("%a %-d %b").to_string()
}

/// `Saturday 14 June 2026`.
pub(crate) fn long(day: Day) -> String {
    day.date().format("%A %-d %B %Y").to_string()
}

/// `Sat 14 Jun`, with the year when it is another one than today's.
pub(crate) fn short_with_year(day: Day, today: Day) -> String {
    if day.date().year() == today.date().year() {
        short(day)
    } else {
        day.date().format("%a %-d %b %Y").to_string()
    }
}

/// A day as an element that says the whole date to machines and on hovering.
pub(crate) fn element(day: Day, today: Day) -> Markup {
    html! { time datetime=(day) title=(long(day)) { (short_with_year(day, today)) } }
}

/// `07:12` where that was.
pub(crate) fn clock(at: Instant, zone: Tz) -> String {
    at.with_timezone(&zone).format("%H:%M").to_string()
}

/// `07:12` of today, else `Fri 13 Jun 07:12`.
pub(crate) fn clock_or_date(at: Instant, zone: Tz, today: Day) -> String {
    let day = Day::at(at, zone);
    if day == today {
        clock(at, zone)
    } else {
        format!("{} {}", short_with_year(day, today), clock(at, zone))
    }
}

/// A sentence of the core's with its dates as people read them: `2026-08-23` becomes `23 Aug 2026`. The core writes for
/// terminals, programs and pages alike; what is no date stays as it is.
pub(crate) fn humanize_dates(text: &str) -> String {
    const LONG: usize = "2026-08-23".len();
    let mut told = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(|letter: char| letter.is_ascii_digit()) {
        let (before, from) = rest.split_at(at);
        told.push_str(before);
        let end = from.find(|letter: char| !letter.is_ascii_digit() && letter != '-').unwrap_or(from.len());
        let (word, after) = from.split_at(end);
        match word.parse::<Day>().ok().filter(|_| word.len() == LONG) {
            Some(day) => told.push_str(&day.format_long()),
            None => told.push_str(word),
        }
        rest = after;
    }
    told.push_str(rest);
    told
}

#[cfg(test)]
mod tests {
    use super::humanize_dates;

    #[test]
    fn dates_in_a_sentence_are_read_and_numbers_stay() {
        for (text, told) in [
            ("Paces follow from your result of 2026-08-23.", "Paces follow from your result of 23 Aug 2026."),
            ("2026-08-23 to 2026-09-01", "23 Aug 2026 to 1 Sep 2026"),
            ("5-10 km in 46:03, 12-2026", "5-10 km in 46:03, 12-2026"),
            ("2026-13-45 and 12026-08-23", "2026-13-45 and 12026-08-23"),
            ("", ""),
            ("Größe 8 × 1 min", "Größe 8 × 1 min"),
        ] {
            assert_eq!(humanize_dates(text), told);
        }
    }
}
