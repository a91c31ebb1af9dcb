//! The days an athlete names. What rules cannot place for certain is a doubt that is said, never another day.

use super::unparsed_date::is_misread;
use fitness_core::domain::calendar::{Day, Weekday};

/// The days that words name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Named {
    Nothing,
    /// These, in order and each once.
    Days(Vec<Day>),
    /// A week, by its Monday.
    Week(Day),
    /// Some, but not which.
    Unsure(Doubt),
}

/// Why a day is not certain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doubt {
    OneOf(Day, Day),
    /// Something else than single days and whole weeks.
    NotDays,
    /// A session is meant, but no day of it is said.
    NoDay,
}

/// Something in a text that names days.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Piece {
    Day(Day),
    /// A weekday, which a week that is named beside it may place.
    Weekday(Weekday, Which),
    Weekend(Which),
    Week(Day),
    Doubt,
}

/// What stands before a weekday.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Which {
    Last,
    This,
    Next,
    Plain,
}

impl Which {
    fn of(before: Option<&str>) -> Self {
        match before {
            Some("last" | "previous" | "past") => Self::Last,
            Some("this") => Self::This,
            Some("next" | "following") => Self::Next,
            _ => Self::Plain,
        }
    }
}

/// A weekday by its name, or by what people make of it.
fn weekday(word: &str) -> Result<Weekday, ()> {
    let word = match word {
        "tues" => "tue",
        "weds" => "wed",
        "thur" | "thurs" => "thu",
        word => word,
    };
    fitness_core::plan::parse_weekday(word).map_err(|_| ())
}

/// What between two days makes all days from one to the other of them.
const THROUGH: &[&str] = &["to", "until", "till", "through", "thru"];

/// What before a single day makes more than that day of it.
const OPEN: &[&str] = &["until", "till", "through", "thru", "before", "after", "by", "from"];

/// What takes days out again.
const BUT: &[&str] = &["except", "besides", "apart"];

/// What before `days` makes some of them, but not which.
#[rustfmt::skip]
const SOME: &[&str] = &[
    "few", "couple", "of", "next", "coming", "last", "past", "several", "these", "those", "all", "other", "more",
    "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
];

/// Reads the days that words name. A weekday is the next one, or the last one where the words tell of what was.
pub(super) fn named(words: &[&str], today: Day, past: bool) -> Named {
    let mut found: Vec<(usize, usize, Piece)> = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let read = piece(words, at, today, past);
        let length = read.map_or(1, |(length, _)| length);
        found.extend(read.map(|(length, piece)| (at, at + length, piece)));
        at += length;
    }
    if found.is_empty() {
        return Named::Nothing;
    }
    // `Wednesday instead of Thursday` names one day too many.
    let one_for_another = found.len() > 1 && words.iter().any(|word| matches!(*word, "instead" | "rather"));
    let some_but_not_others = words.iter().any(|word| BUT.contains(word));
    if one_for_another || some_but_not_others || found.iter().any(|(.., piece)| *piece == Piece::Doubt) {
        return Named::Unsure(Doubt::NotDays);
    }
    placed(words, &found, today, past).unwrap_or_else(Named::Unsure)
}

/// What says nothing beside a day.
#[rustfmt::skip]
const FILLING: &[&str] = &[
    "the", "on", "also", "too", "and", "then", "please", "next", "this", "last", "of", "run", "session", "workout",
    "not", "no", "as", "well", "or", "to", "until", "through", "my", "from",
];

/// Whether words name days and say nothing else: what follows `skip Wednesday,`.
pub(super) fn are_only_days(words: &[&str], today: Day) -> bool {
    let (mut at, mut any) = (0, false);
    while let Some(word) = words.get(at) {
        match piece(words, at, today, false) {
            Some((length, _)) => (at, any) = (at + length, true),
            None if FILLING.contains(word) => at += 1,
            None => return false,
        }
    }
    any
}

/// What stands at a place, and how many words it takes.
fn piece(words: &[&str], at: usize, today: Day, past: bool) -> Option<(usize, Piece)> {
    let word = words.get(at)?.trim_end_matches("'s");
    let before = at.checked_sub(1).and_then(|before| words.get(before)).copied();
    let after = |ahead: usize| words.get(at + ahead).map(|word| word.trim_end_matches("'s"));
    if word == "day" && matches!(after(1), Some("after" | "before")) {
        let step = if after(1) == Some("after") { 1 } else { -1 };
        let from = at + 2 + usize::from(after(2) == Some("the"));
        let (length, beside) = piece(words, from, today, past)?;
        let day = single(beside, today, past)?;
        return Some((from + length - at, Piece::Day(day.plus_days(step))));
    }
    if let Some(day) = on_a_date(words, at, today, past) {
        return Some(day);
    }
    let monday = today.iso_week().monday();
    let of_week = |weeks: i64| Piece::Week(monday.plus_days(7 * weeks));
    let one = |piece: Piece| Some((1, piece));
    match word {
        "today" | "todays" | "tonight" => one(Piece::Day(today)),
        "tomorrow" | "tomorrows" => one(Piece::Day(today.next())),
        "yesterday" | "yesterdays" => one(Piece::Day(today.previous())),
        "weekend" => one(Piece::Weekend(Which::of(before))),
        "week" if after(1) == Some("after") && after(2) == Some("next") => Some((3, of_week(2))),
        "week" if after(1) == Some("before") && after(2) == Some("last") => Some((3, of_week(-2))),
        "week" if after(1).is_some_and(|next| next.starts_with(|c: char| c.is_ascii_digit())) => {
            one(Piece::Doubt)
        }
        "week" => match before {
            Some("last" | "previous" | "past") => one(of_week(-1)),
            Some("next" | "coming" | "following") => one(of_week(1)),
            // `How far do I run a week?` names none.
            Some("a" | "per") => None,
            Some("every" | "each" | "in") => one(Piece::Doubt),
            _ => one(of_week(0)),
        },
        "weeks" | "month" | "months" | "fortnight" | "weekends" => one(Piece::Doubt),
        "days" => before
            .filter(|word| SOME.contains(word) || word.starts_with(|c: char| c.is_ascii_digit()))
            .and_then(|_| one(Piece::Doubt)),
        word => {
            if let Some(day) = word.parse().ok().or_else(|| ordinal(word, today, past)) {
                return one(Piece::Day(day));
            }
            if weekday(word).is_err() && is_misread(word) {
                return one(Piece::Doubt);
            }
            if let Some((first, last)) = word.split_once('-')
                && weekday(first).is_ok()
                && weekday(last).is_ok()
            {
                return one(Piece::Doubt);
            }
            if word.strip_suffix('s').is_some_and(|word| weekday(word).is_ok() && word.len() > 4) {
                return one(Piece::Doubt);
            }
            let wanted = weekday(word).ok()?;
            let many = matches!(before, Some("every" | "each" | "all"));
            one(if many { Piece::Doubt } else { Piece::Weekday(wanted, Which::of(before)) })
        }
    }
}

/// The days of what was found, with their weeks and from where to where.
fn placed(words: &[&str], found: &[(usize, usize, Piece)], today: Day, past: bool) -> Result<Named, Doubt> {
    let weeks: Vec<Day> = found
        .iter()
        .filter_map(|(.., piece)| if let Piece::Week(monday) = piece { Some(*monday) } else { None })
        .collect();
    match weeks.as_slice() {
        [monday] if found.len() == 1 => return Ok(Named::Week(*monday)),
        [monday] => {
            let of_it = found.iter().map(|(.., piece)| match piece {
                Piece::Weekday(weekday, _) => monday
                    .through(monday.plus_days(6))
                    .find(|day| day.weekday() == *weekday)
                    .map(|day| vec![day]),
                Piece::Weekend(_) => Some(vec![monday.plus_days(5), monday.plus_days(6)]),
                Piece::Week(_) => Some(Vec::new()),
                Piece::Day(_) | Piece::Doubt => None,
            });
            let days: Option<Vec<Vec<Day>>> = of_it.collect();
            return days.map(|days| Named::Days(sorted(days.concat()))).ok_or(Doubt::NotDays);
        }
        [] => {}
        _ => return Err(Doubt::NotDays),
    }
    let mut days: Vec<Day> = Vec::new();
    let mut end: Option<usize> = None;
    for (from, to, piece) in found {
        let between = end.map(|end| &words[end.min(*from)..*from]).unwrap_or_default();
        let joined = between.iter().any(|word| THROUGH.contains(word));
        let these = match piece {
            Piece::Weekend(which) => weekend(*which, today)?,
            _ => vec![certain(*piece, today, past)?],
        };
        let first = *these.first().ok_or(Doubt::NotDays)?;
        match days.last().copied() {
            Some(last) if joined => {
                // `Friday to Monday` goes over the weekend.
                let until =
                    if first < last && last.days_until(first) > -7 { first.plus_days(7) } else { first };
                if !(0..28).contains(&last.days_until(until)) {
                    return Err(Doubt::NotDays);
                }
                days.extend(last.through(until));
            }
            Some(last) if between.contains(&"or") => return Err(Doubt::OneOf(last, first)),
            _ => {
                let before = from.checked_sub(1).and_then(|before| words.get(before)).copied();
                let before = match before {
                    Some("the" | "this" | "next") => {
                        from.checked_sub(2).and_then(|before| words.get(before)).copied()
                    }
                    before => before,
                };
                let next = words.get(*to).copied();
                let goes_on = next.is_some_and(|word| THROUGH.contains(&word));
                if before.is_some_and(|word| OPEN.contains(&word)) && !goes_on
                    || matches!(next, Some("on" | "onwards" | "onward")) && before == Some("from")
                {
                    return Err(Doubt::NotDays);
                }
                days.extend(these);
            }
        }
        end = Some(*to);
    }
    Ok(Named::Days(sorted(days)))
}

fn sorted(mut days: Vec<Day>) -> Vec<Day> {
    days.sort_unstable();
    days.dedup();
    days
}

/// The one day that a piece names beside `the day after`.
fn single(piece: Piece, today: Day, past: bool) -> Option<Day> {
    certain(piece, today, past).ok()
}

fn certain(piece: Piece, today: Day, past: bool) -> Result<Day, Doubt> {
    let monday = today.iso_week().monday();
    let among = |from: Day, wanted: Weekday| {
        from.through(from.plus_days(6)).find(|day| day.weekday() == wanted).ok_or(Doubt::NotDays)
    };
    match piece {
        Piece::Day(day) => Ok(day),
        Piece::Weekday(wanted, Which::Last) => among(today.plus_days(-7), wanted),
        Piece::Weekday(wanted, Which::This) => among(monday, wanted),
        Piece::Weekday(wanted, Which::Plain) => among(if past { today.plus_days(-7) } else { today }, wanted),
        // The coming one, or the one of next week: people mean either.
        Piece::Weekday(wanted, Which::Next) => {
            let (coming, later) = (among(today.next(), wanted)?, among(monday.plus_days(7), wanted)?);
            if coming == later { Ok(coming) } else { Err(Doubt::OneOf(coming, later)) }
        }
        Piece::Weekend(_) | Piece::Week(_) | Piece::Doubt => Err(Doubt::NotDays),
    }
}

fn weekend(which: Which, today: Day) -> Result<Vec<Day>, Doubt> {
    let saturday = today.iso_week().monday().plus_days(5);
    let saturday = match which {
        Which::Last => saturday.plus_days(-7),
        Which::Next if today < saturday => return Err(Doubt::OneOf(saturday, saturday.plus_days(7))),
        Which::Next => saturday.plus_days(7),
        Which::This | Which::Plain => saturday,
    };
    Ok(vec![saturday, saturday.next()])
}

/// The names of the months, short ones first.
#[rustfmt::skip]
const MONTHS: [&[&str]; 12] = [
    &["jan", "january"], &["feb", "february"], &["mar", "march"], &["apr", "april"], &["may"], &["jun", "june"],
    &["jul", "july"], &["aug", "august"], &["sep", "sept", "september"], &["oct", "october"], &["nov", "november"],
    &["dec", "december"],
];

/// `11 april 2027` and `april 11 2027`, where they begin; the next such day, or the last, when the year is left out.
fn on_a_date(words: &[&str], at: usize, today: Day, past: bool) -> Option<(usize, Piece)> {
    let month = |at: usize| {
        let word = words.get(at)?;
        MONTHS.iter().position(|names| names.contains(word)).and_then(|month| u32::try_from(month + 1).ok())
    };
    let number = |at: usize| words.get(at).and_then(|word| of_month(word));
    let between = usize::from(words.get(at + 1) == Some(&"of"));
    let (day, month, end) = match (number(at), month(at)) {
        (Some(day), _) => (day, month(at + 1 + between)?, at + 2 + between),
        (None, Some(month)) => (number(at + 1)?, month, at + 2),
        (None, None) => return None,
    };
    let year = words.get(end).and_then(|word| word.parse().ok()).filter(|year| (2000..2200).contains(year));
    let found = match year {
        Some(year) => Day::new(year, month, day),
        None => {
            let years = if past { [0, -1] } else { [0, 1] };
            let this = today.to_string().get(..4)?.parse::<i32>().ok()?;
            let mut days = years.into_iter().filter_map(|more| Day::new(this + more, month, day));
            days.find(|day| if past { *day <= today } else { *day >= today })
        }
    };
    // `31 november` is no day, and not the 31st of another month either.
    Some((end - at + usize::from(year.is_some()), found.map_or(Piece::Doubt, Piece::Day)))
}

/// The first date that is written out in words, for a race to come.
pub(super) fn spoken_date(words: &[&str], today: Day) -> Option<Day> {
    (0..words.len()).find_map(|at| match on_a_date(words, at, today, false)? {
        (_, Piece::Day(day)) => Some(day),
        _ => None,
    })
}

/// The day of a month that a word says: `11`, `11th`.
fn of_month(word: &str) -> Option<u32> {
    let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let ending = word.get(digits.len()..)?;
    let plain = matches!(ending, "" | "st" | "nd" | "rd" | "th");
    digits.parse().ok().filter(|day| plain && (1..=31).contains(day))
}

/// `the 14th`: the next day of that number, or the last.
fn ordinal(word: &str, today: Day, past: bool) -> Option<Day> {
    let day = of_month(word).filter(|_| word.ends_with(|c: char| c.is_ascii_alphabetic()))?;
    let wanted = format!("-{day:02}");
    let mut days = (0..62).map(|ahead| today.plus_days(if past { -ahead } else { ahead }));
    days.find(|day| day.to_string().ends_with(&wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, past: bool) -> Named {
        // A Tuesday.
        named(&super::super::grammar::words(text), "2026-06-09".parse().unwrap(), past)
    }

    fn days(dates: &[&str]) -> Named {
        Named::Days(dates.iter().map(|date| format!("2026-06-{date}").parse().unwrap()).collect())
    }

    fn week(monday: &str) -> Named {
        Named::Week(format!("2026-06-{monday}").parse().unwrap())
    }

    #[test]
    fn the_days_that_are_named_are_the_days_that_are_meant() {
        for (text, meant) in [
            ("the day after tomorrow", days(&["11"])),
            ("the day before yesterday", days(&["07"])),
            ("the day after wednesday", days(&["11"])),
            ("wednesday and thursday", days(&["10", "11"])),
            ("thursday wednesday and thursday", days(&["10", "11"])),
            ("wednesday to friday", days(&["10", "11", "12"])),
            ("from friday until monday", days(&["12", "13", "14", "15"])),
            ("tuesday", days(&["09"])),
            ("this monday", days(&["08"])),
            ("last thursday", days(&["04"])),
            ("the weekend", days(&["13", "14"])),
            ("last weekend", days(&["06", "07"])),
            ("wednesday next week", days(&["17"])),
            ("next week's wednesday and friday", days(&["17", "19"])),
            ("this week", week("08")),
            ("the rest of the week", week("08")),
            ("last week", week("01")),
            ("next week", week("15")),
            ("the week after next", week("22")),
            ("the 14th", days(&["14"])),
            ("20 june", days(&["20"])),
            ("june 20th and the 21st of june", days(&["20", "21"])),
            ("2026-06-12", days(&["12"])),
            ("what is on", Named::Nothing),
            ("how far do i run a week", Named::Nothing),
        ] {
            assert_eq!(read(text, false), meant, "{text}");
        }
        assert_eq!(read("wednesday", true), days(&["03"]));
        assert_eq!(read("the 5th", true), days(&["05"]));
        assert_eq!(read("3 june", true), days(&["03"]));
    }

    #[test]
    fn what_is_not_certain_is_a_doubt() {
        let day = |date: &str| format!("2026-06-{date}").parse::<Day>().unwrap();
        assert_eq!(read("next wednesday", false), Named::Unsure(Doubt::OneOf(day("10"), day("17"))));
        assert_eq!(read("wednesday or friday", false), Named::Unsure(Doubt::OneOf(day("10"), day("12"))));
        for text in [
            "every wednesday",
            "wednesdays",
            "the next three days",
            "for 3 days",
            "until friday",
            "everything before sunday",
            "from friday on",
            "this week except sunday",
            "next month",
            "in two weeks",
            "week 5",
            "wed-fri",
            "this week and next week",
            "wednesday instead of thursday",
        ] {
            assert_eq!(read(text, false), Named::Unsure(Doubt::NotDays), "{text}");
        }
    }
}
