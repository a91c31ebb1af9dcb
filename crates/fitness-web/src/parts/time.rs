//! Days and moments as people read them.

use chrono::Datelike as _;
use chrono_tz::Tz;
use fitness_core::calendar::{Day, Instant};
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
pub(crate) fn near(day: Day, today: Day) -> String {
    if day.date().year() == today.date().year() {
        short(day)
    } else {
        day.date().format("%a %-d %b %Y").to_string()
    }
}

/// A day as an element that says the whole date to machines and on hovering.
pub(crate) fn element(day: Day, today: Day) -> Markup {
    html! { time datetime=(day) title=(long(day)) { (near(day, today)) } }
}

/// `07:12` where that was.
pub(crate) fn clock(at: Instant, zone: Tz) -> String {
    at.with_timezone(&zone).format("%H:%M").to_string()
}

/// `07:12` of today, else `Fri 13 Jun 07:12`.
pub(crate) fn moment(at: Instant, zone: Tz, today: Day) -> String {
    let day = Day::at(at, zone);
    if day == today { clock(at, zone) } else { format!("{} {}", near(day, today), clock(at, zone)) }
}
