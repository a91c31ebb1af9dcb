//! What an athlete wants to be less: which sessions, and of which days.

use super::days::{self, Doubt, Named, named};
use super::grammar::Clause;
use super::intent::PAST;
use super::unparsed_date::may_be_named;
use super::{Before, Intent, Less, Wanted};
use fitness_core::domain::calendar::Day;

/// What takes a session out.
const SKIP: &[&str] = &["skip", "skipping", "drop", "dropping", "cancel", "cancelling", "canceling"];

/// What makes it less.
const EASE: &[&str] = &["easier", "lighter", "gentler", "ease", "easing"];

/// What makes it shorter, and nothing else.
const SHORTEN: &[&str] = &["shorter", "shorten", "shortening"];

/// What may stand beside a wish that names no day, so that it is about the one session everybody sees.
#[rustfmt::skip]
const IT: &[&str] = &[
    "it", "it's", "that", "this", "one", "my", "the", "a", "an", "run", "ride", "swim", "session", "workout", "training",
    "run's", "session's", "workout's", "morning", "morning's", "afternoon", "afternoon's", "evening", "evening's",
    "please", "pls", "can", "could", "would", "will", "you", "i", "i'd", "i'll", "i'm", "we", "let's", "lets", "let", "me",
    "us", "want", "wanna", "need", "like", "have", "to", "going", "gonna", "think", "should", "shall", "may", "might",
    "must", "make", "making", "do", "be", "is", "so", "much", "bit", "little", "slightly", "something", "just", "simply",
    "then", "now", "too", "also", "better", "maybe", "perhaps", "rather", "really", "ok", "okay", "yes", "yeah", "no",
    "not", "don't", "why", "wise", "fine", "right", "good", "idea", "hi", "hey", "hello", "coach", "thanks", "by", "for",
    "less", "somewhat", "even",
];

/// Where the reason for a wish begins.
const REASONS: &[&str] = &["because", "as", "since", "if", "when"];

/// What a number may count beside a wish.
#[rustfmt::skip]
const MEASURES: &[&str] = &[
    "min", "mins", "minute", "minutes", "hour", "hours", "h", "km", "k", "kilometres", "kilometers", "mi", "mile", "miles",
    "percent", "metres", "meters", "m",
];

/// How a clause wants a session to be less, and where it says so.
fn less_of(clause: &Clause<'_>) -> Option<(usize, Less)> {
    let hard = |two: &[&str]| two[0] == "less" && matches!(two[1], "hard" | "intense");
    let find = |any: &[&str], less: Less| clause.find(any).map(|at| (at, less));
    find(SKIP, Less::Skip)
        .or_else(|| find(EASE, Less::Easier))
        .or_else(|| clause.words.windows(2).position(hard).map(|at| (at, Less::Easier)))
        .or_else(|| find(SHORTEN, Less::Shorter))
}

/// Sessions that should be less: asked for, asked about, or not wanted.
pub(super) fn changed(clauses: &[Clause<'_>], words: &[&str], today: Day, before: &Before) -> Option<Intent> {
    let spoken: Vec<(usize, usize, Less)> = (clauses.iter().enumerate())
        .filter_map(|(index, clause)| less_of(clause).map(|(at, less)| (index, at, less)))
        .collect();
    let (first, ..) = *spoken.first()?;
    let asks = clauses[first].asks;
    // `Why is Thursday easier?` asks for a reason.
    let why = asks && clauses[first].words.first() == Some(&"why") && !clauses[first].words.contains(&"not");
    if why {
        let past = clauses[first].words.iter().any(|word| PAST.contains(word));
        return Some(match named(&clauses[first].words, today, past) {
            Named::Days(days) if days.len() == 1 => Intent::Why { day: days[0] },
            Named::Days(days) => Intent::Days { days },
            Named::Week(monday) => Intent::Week { monday },
            Named::Unsure(doubt) => Intent::Unsure { doubt },
            Named::Nothing => Intent::Why { day: today },
        });
    }
    let mut wanted: Vec<Wanted> = Vec::new();
    let is_wanted = |(index, at, _): &&(usize, usize, Less)| asks || !clauses[*index].denies(*at);
    for (index, _, less) in spoken.iter().filter(is_wanted) {
        let days = match days_of(clauses, *index, words, today, before) {
            Ok(days) => days,
            Err(instead) => return Some(instead),
        };
        if let Some(day) = days.iter().copied().find(|day| *day < today) {
            return Some(Intent::Over { day });
        }
        for day in days {
            if wanted.iter().all(|one| one.day != day) {
                wanted.push(Wanted { day, less: *less });
            }
        }
    }
    wanted.sort_unstable_by_key(|one| one.day);
    Some(match wanted.as_slice() {
        [] => Intent::Keep,
        _ if asks => Intent::Should { days: wanted.iter().map(|one| one.day).collect() },
        _ => Intent::Change { wanted },
    })
}

/// The days that a wish is about: those of its clause and of what only goes on with days, else those of the whole text,
/// else the one spoken of before, else today; or what to say instead. A wish that says more than what is to be less is
/// about something that was not understood, and that is never today for want of a better day.
fn days_of(
    clauses: &[Clause<'_>],
    index: usize,
    all: &[&str],
    today: Day,
    before: &Before,
) -> Result<Vec<Day>, Intent> {
    let unsure = |doubt: Doubt| Intent::Unsure { doubt };
    let expanded = |found: Named| match found {
        Named::Nothing => Ok(None),
        Named::Days(days) => Ok(Some(days)),
        // What is left of a week is what can still be changed.
        Named::Week(monday) if monday.plus_days(6) < today => Err(Intent::Over { day: monday.plus_days(6) }),
        Named::Week(monday) => Ok(Some(monday.max(today).through(monday.plus_days(6)).collect())),
        Named::Unsure(doubt) => Err(unsure(doubt)),
    };
    let mut words = clauses[index].words.clone();
    let mut spared: Vec<Day> = Vec::new();
    for clause in clauses.iter().skip(index + 1) {
        if less_of(clause).is_some() || !days::are_only_days(&clause.words, today) {
            break;
        }
        if clause.denies(clause.words.len()) {
            spared.extend(expanded(named(&clause.words, today, false))?.unwrap_or_default());
        } else {
            words.push("and");
            words.extend(&clause.words);
        }
    }
    if let Some(mut days) = expanded(named(&words, today, false))? {
        days.retain(|day| !spared.contains(day));
        return Ok(days);
    }
    if !is_only_it(&clauses[index].words) {
        return Err(unsure(Doubt::NoDay));
    }
    let it = || match before {
        _ if may_be_named(all) => Err(unsure(Doubt::NoDay)),
        Before::Nothing => Ok(vec![today]),
        Before::Day(day) => Ok(vec![*day]),
        Before::Unclear => Err(unsure(Doubt::NoDay)),
    };
    match named(all, today, false) {
        Named::Nothing => it(),
        // `Yesterday was hard, make it easier` is about what is to come.
        Named::Days(days) => {
            let ahead: Vec<Day> = days.into_iter().filter(|day| *day >= today).collect();
            if ahead.is_empty() { it() } else { Ok(ahead) }
        }
        Named::Week(_) => Err(unsure(Doubt::NoDay)),
        Named::Unsure(doubt) => Err(unsure(doubt)),
    }
}

/// Whether a wish speaks of nothing but the session at hand: `please make it 20 minutes shorter`.
fn is_only_it(words: &[&str]) -> bool {
    let until = words.iter().position(|word| REASONS.contains(word)).unwrap_or(words.len());
    let words = &words[..until];
    (0..words.len()).all(|at| {
        let beside = |at: Option<usize>| at.and_then(|at| words.get(at)).copied().unwrap_or_default();
        match words[at] {
            "hard" | "intense" => beside(at.checked_sub(1)) == "less",
            word if is_number(word) => MEASURES.contains(&beside(Some(at + 1))),
            word if MEASURES.contains(&word) => is_number(beside(at.checked_sub(1))),
            word => [SKIP, EASE, SHORTEN, IT].iter().any(|list| list.contains(&word)),
        }
    })
}

fn is_number(word: &str) -> bool {
    word.parse::<f64>().is_ok()
}
