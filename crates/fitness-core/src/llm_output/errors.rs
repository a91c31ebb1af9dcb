//! What is wrong with an answer, told to the model that wrote it, so that it can repair all of it at once.

use crate::domain::untrusted_text::escape_invisible;
use crate::string_enum::string_enum;
use serde::{Deserialize, Serialize};

string_enum! {
    /// Why an answer is refused.
    pub enum ValidationErrorCode("fault") {
        // The text is not one JSON value.
        /// There is nothing.
        EmptyInput = "empty_input",
        /// It is longer than any answer.
        TooLarge = "too_large",
        /// It is not UTF-8.
        NotText = "not_text",
        /// There is no JSON object in it.
        NoJson = "no_json",
        /// Words stand before the JSON.
        ProseBefore = "prose_before",
        /// Words stand after the JSON.
        ProseAfter = "prose_after",
        /// The JSON is wrapped in a code fence.
        CodeFence = "code_fence",
        /// A second JSON value follows the first.
        SecondValue = "second_value",
        /// A comma has nothing after it.
        TrailingComma = "trailing_comma",
        /// A comma is missing.
        MissingComma = "missing_comma",
        /// JSON has no comments.
        Comment = "comment",
        /// JSON has no single quotes.
        SingleQuotes = "single_quotes",
        /// A key is not in quotes.
        UnquotedKey = "unquoted_key",
        /// `...` stands where something was to be written out.
        Placeholder = "placeholder",
        /// `NaN`, an infinity, or a number too large to be one.
        NotFinite = "not_finite",
        /// Not a number as JSON writes it.
        BadNumber = "bad_number",
        /// Not a word of JSON: `True`, `None`, `undefined`.
        BadLiteral = "bad_literal",
        /// A line break, a wrong escape or half a character within a string.
        BadString = "bad_string",
        /// The text ends in the middle.
        Unfinished = "unfinished",
        /// Something else that JSON does not have.
        Syntax = "syntax",
        /// Nested deeper than the contract ever is.
        TooDeep = "too_deep",
        /// One object has a key twice.
        DuplicateKey = "duplicate_key",

        // The value is not what the contract says.
        /// Neither form can be told from the keys.
        UnknownKind = "unknown_kind",
        /// A field the contract does not have.
        UnknownField = "unknown_field",
        /// A field that must be there is not.
        MissingField = "missing_field",
        /// A string where a number belongs, and the like.
        WrongType = "wrong_type",
        /// A single value where `{"from": …, "to": …}` belongs.
        NeedsFromTo = "needs_from_to",
        /// Not one of the words allowed here.
        UnknownWord = "unknown_word",
        /// A number outside its bounds.
        OutOfRange = "out_of_range",
        /// Not a calendar date written as YYYY-MM-DD.
        BadDate = "bad_date",
        /// Longer than is kept.
        TooLong = "too_long",
        /// Nothing but blanks where words are needed.
        EmptyText = "empty_text",
        /// A character that no database keeps.
        NotStorable = "not_storable",
        /// More entries than anybody reads.
        TooMany = "too_many",
        /// An empty list where something is needed.
        TooFew = "too_few",
        /// The lower end of a target is above its upper end.
        LowAboveHigh = "low_above_high",
        /// A rest day with something to do.
        RestWithWork = "rest_with_work",
        /// A modification that changes nothing.
        NoChange = "no_change",

        // The answer does not fit the athlete's plan.
        /// The plan is not the one that is tracked.
        PlanNotActive = "plan_not_active",
        /// No such workout in the athlete's active plan.
        NoSuchWorkout = "no_such_workout",
        /// The workout is there, on another day.
        WrongDate = "wrong_date",
        /// One workout is changed twice, one metric listed twice.
        Duplicate = "twice",
        /// A rest day has nothing that could be longer or harder.
        RestDay = "rest_day",
        /// The race itself stays as it is.
        RaceDay = "race_day",
        /// The day is over.
        PastDay = "past_day",
        /// The day is not in the plan's weeks.
        OutsidePlan = "outside_plan",
        /// The athlete cannot train on that day.
        BlackoutDay = "blackout_day",
        /// The athlete never trains on that weekday.
        UnavailableDay = "unavailable_day",
        /// A weekly plan that is not of one week.
        NotOneWeek = "not_one_week",
        /// What would come out breaks a rule of training; the linter says which.
        LintError = "lint_error",

        // The brief is not what its facts allow.
        /// Double braces without the id of a fact in them.
        BadPlaceholder = "bad_placeholder",
        /// There is no such fact.
        UnknownFact = "unknown_fact",
        /// It would be a fact, but is not known.
        MissingFact = "missing_fact",
        /// A number in digits or in words.
        UngroundedNumber = "own_number",
        /// What stands beside a fact makes another number of it.
        GluedFact = "glued_fact",
        /// A predicted finish without its band.
        WithoutBand = "without_band",
        /// A character that is not of plain English prose, or in a name one that is not seen.
        BadCharacter = "bad_character",
        /// Markdown, HTML or an address.
        Markup = "markup",
        /// A number of the trade that only the trade knows by its letters.
        Jargon = "jargon",
        /// Too little to be a brief.
        TooShort = "too_short",
        /// A metric of which the text says nothing.
        UnusedMetric = "unused_metric",
        /// Data is missing, and the text does not say so.
        UnmentionedGap = "unsaid_gap",
        /// Does not begin with the day's session, its state and the last verdict.
        Opening = "opening",
        /// Speaks of a plan where none is active.
        NoPlan = "no_plan",
        /// Says that something was changed.
        ClaimsChange = "claims_change",
        /// Speaks of a proposal that is not there, or does not name the one that is.
        UnlinkedProposal = "unlinked_proposal",
        /// Eases what the plan asks, though the athlete said nothing that calls for it.
        UnrequestedEasing = "eases_unasked",
        /// Concludes from a device what only the athlete knows.
        MustAsk = "must_ask",

        /// There are more faults than are listed.
        MoreErrors = "more_faults",
    }
}

/// One thing that must change before an answer is accepted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ValidationError {
    /// Where, as a JSON pointer; empty for the answer as a whole.
    pub path: String,
    /// What kind of fault.
    pub code: ValidationErrorCode,
    /// What was there and what is allowed, addressed to the model.
    pub message: String,
}

string_enum! {
    /// What is accepted, shown to the athlete, and sent back to the model once.
    pub enum FindingCode("finding") {
        /// `from` or `original_name` is not what the plan says.
        FromDiffers = "from_differs",
        /// `day` is not the weekday of `date`.
        WeekdayDiffers = "weekday_differs",
        /// The steps do not add up to the duration.
        StepsDiffer = "steps_differ",
        /// A total is not the sum of its parts.
        TotalDiffers = "total_differs",
        /// The current load of the week is not what the plan says.
        WeekDiffers = "week_differs",
        /// A value that has no effect where it stands.
        Ignored = "ignored",
        /// A rule of training advises against it.
        LintWarning = "lint_warning",
    }
}

/// One thing that an accepted answer should have said better.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// Where, as a JSON pointer.
    pub path: String,
    /// What kind of finding.
    pub code: FindingCode,
    /// What was said and what is the case.
    pub message: String,
}

/// The most faults that are listed; a model that made more begins again.
pub const MAX_VALIDATION_ERRORS: usize = 200;

/// Faults as they are found.
#[derive(Debug, Default)]
pub(super) struct ValidationErrors {
    list: Vec<ValidationError>,
    truncated: bool,
}

impl ValidationErrors {
    pub(super) fn add(&mut self, path: &str, code: ValidationErrorCode, message: impl Into<String>) {
        if self.list.len() < MAX_VALIDATION_ERRORS {
            self.list.push(ValidationError { path: path.to_owned(), code, message: message.into() });
        } else {
            self.truncated = true;
        }
    }

    /// Whether to look no further: as many faults as are listed have been found. Asked only where there is more to look at.
    pub(super) fn is_full(&mut self) -> bool {
        self.truncated |= self.list.len() >= MAX_VALIDATION_ERRORS;
        self.truncated
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub(super) fn into_list(mut self) -> Vec<ValidationError> {
        if self.truncated {
            let message =
                "There are more faults than these. Write the answer anew after the schema.".to_owned();
            self.list.push(ValidationError {
                path: String::new(),
                code: ValidationErrorCode::MoreErrors,
                message,
            });
        }
        self.list
    }
}

/// How much of a foreign text is quoted in a message.
const MAX_QUOTED_CHARS: usize = 60;

/// A foreign text for a message: on one line, visible, and cut.
pub(super) fn quote(text: &str) -> String {
    let cut: String = text.chars().take(MAX_QUOTED_CHARS).collect();
    let more = if cut.len() < text.len() { "…" } else { "" };
    format!("`{}{more}`", escape_invisible(&cut))
}

/// A JSON pointer to a key below a path.
pub(super) fn child_path(path: &str, key: &str) -> String {
    let cut: String = key.chars().take(MAX_QUOTED_CHARS).collect();
    format!("{path}/{}", cut.replace('~', "~0").replace('/', "~1"))
}

/// A JSON pointer to an entry of a list.
pub(super) fn index_path(path: &str, index: usize) -> String {
    format!("{path}/{index}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quote_is_short_and_visible() {
        assert_eq!(quote("a\u{1b}b"), "`a<U+001B>b`");
        assert_eq!(quote(&"ü".repeat(61)), format!("`{}…`", "ü".repeat(60)));
        assert_eq!(child_path("/a", "b/c~d"), "/a/b~1c~0d");
    }

    #[test]
    fn errors_beyond_the_maximum_are_not_listed() {
        let mut faults = ValidationErrors::default();
        for _ in 0..MAX_VALIDATION_ERRORS + 7 {
            faults.add("", ValidationErrorCode::Comment, "x");
        }
        let list = faults.into_list();
        assert_eq!(list.len(), MAX_VALIDATION_ERRORS + 1);
        assert_eq!(list[MAX_VALIDATION_ERRORS].code, ValidationErrorCode::MoreErrors);
    }
}
