//! Validation errors and findings, with messages for the model that wrote the response.

use crate::domain::untrusted_text::escape_invisible;
use crate::string_enum::string_enum;
use serde::{Deserialize, Serialize};

string_enum! {
    /// Why a response is refused.
    pub enum ValidationErrorCode("fault") {
        // Not one JSON value.
        EmptyInput = "empty_input",
        TooLarge = "too_large",
        NotText = "not_text",
        /// Not valid JSON, or text around it.
        Syntax = "syntax",
        /// Nested more deeply than the format allows.
        TooDeep = "too_deep",
        DuplicateKey = "duplicate_key",

        // Does not match the schema.
        /// The keys match neither format.
        UnknownKind = "unknown_kind",
        UnknownField = "unknown_field",
        MissingField = "missing_field",
        /// For example a string instead of a number.
        WrongType = "wrong_type",
        /// A single value instead of `{"from": …, "to": …}`.
        NeedsFromTo = "needs_from_to",
        /// Not a value of the enum.
        UnknownWord = "unknown_word",
        OutOfRange = "out_of_range",
        /// Not a calendar date written as YYYY-MM-DD.
        BadDate = "bad_date",
        /// Text over its maximum length.
        TooLong = "too_long",
        EmptyText = "empty_text",
        /// Contains NUL, which PostgreSQL cannot store.
        NotStorable = "not_storable",
        /// List over its maximum length.
        TooMany = "too_many",
        TooFew = "too_few",
        LowAboveHigh = "low_above_high",
        /// A rest day with duration, load or steps.
        RestWithWork = "rest_with_work",
        NoChange = "no_change",

        // Does not fit the athlete's plan.
        PlanNotActive = "plan_not_active",
        NoSuchWorkout = "no_such_workout",
        /// The workout is on another day.
        WrongDate = "wrong_date",
        /// A workout changed twice or a metric listed twice.
        Duplicate = "twice",
        /// A rest day made longer or harder.
        RestDay = "rest_day",
        /// A change to the race.
        RaceDay = "race_day",
        PastDay = "past_day",
        OutsidePlan = "outside_plan",
        BlackoutDay = "blackout_day",
        /// A weekday on which the athlete does not train.
        UnavailableDay = "unavailable_day",
        /// A weekly plan with workouts outside its week.
        NotOneWeek = "not_one_week",
        /// The plan linter reports an error for the result.
        LintError = "lint_error",

        // Errors of a brief.
        /// Double braces without a valid fact id.
        BadPlaceholder = "bad_placeholder",
        UnknownFact = "unknown_fact",
        /// A fact without a value.
        MissingFact = "missing_fact",
        /// A number, in digits or words, that is not a fact.
        UngroundedNumber = "own_number",
        /// Text next to a fact that changes how its number reads.
        GluedFact = "glued_fact",
        /// A predicted time without its range.
        WithoutBand = "without_band",
        /// A character outside plain English text, or an invisible one in a name.
        BadCharacter = "bad_character",
        /// Markdown, HTML or a link.
        Markup = "markup",
        /// Abbreviations such as CTL or TSS.
        Jargon = "jargon",
        /// Body below its minimum length.
        TooShort = "too_short",
        /// A listed metric without a fact in the body.
        UnusedMetric = "unused_metric",
        /// Missing data that the body does not mention.
        UnmentionedGap = "unsaid_gap",
        /// Does not start with today's workout, its state and the last verdict.
        Opening = "opening",
        /// Mentions a plan although none is active.
        NoPlan = "no_plan",
        /// Claims that the plan was changed.
        ClaimsChange = "claims_change",
        /// Mentions a proposal that does not exist, or without its fact.
        UnlinkedProposal = "unlinked_proposal",
        /// Makes the workout easier although the athlete reported nothing.
        UnrequestedEasing = "eases_unasked",
        /// Draws a conclusion from device data instead of asking the athlete.
        MustAsk = "must_ask",

        /// The list of errors was truncated.
        MoreErrors = "more_faults",
    }
}

/// One error in a response.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ValidationError {
    /// JSON pointer; empty for the response as a whole.
    pub path: String,
    pub code: ValidationErrorCode,
    /// What is wrong and what is allowed, written for the model.
    pub message: String,
}

string_enum! {
    /// Problems that do not refuse a response. Shown to the athlete and sent back to the model
    /// once.
    pub enum FindingCode("finding") {
        /// `from` or `original_name` differs from the plan.
        FromDiffers = "from_differs",
        /// `day` is not the weekday of `date`.
        WeekdayDiffers = "weekday_differs",
        /// The steps do not add up to the duration.
        StepsDiffer = "steps_differ",
        /// A total is not the sum of its parts.
        TotalDiffers = "total_differs",
        /// The stated weekly load differs from the plan.
        WeekDiffers = "week_differs",
        /// A value without effect.
        Ignored = "ignored",
        /// The plan linter reports a warning for the result.
        LintWarning = "lint_warning",
    }
}

/// One finding in an accepted response.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    pub path: String,
    pub code: FindingCode,
    pub message: String,
}

/// Maximum number of listed errors.
pub const MAX_VALIDATION_ERRORS: usize = 200;

/// Collector of errors, capped at [`MAX_VALIDATION_ERRORS`].
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

    /// Whether validation should stop. Marks the list as truncated, so call it only if there is
    /// more input.
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
                "There are more errors than these. Rewrite the response to match the schema.".to_owned();
            self.list.push(ValidationError {
                path: String::new(),
                code: ValidationErrorCode::MoreErrors,
                message,
            });
        }
        self.list
    }
}

/// Maximum characters of untrusted text quoted in a message.
const MAX_QUOTED_CHARS: usize = 60;

/// Quotes untrusted text for a message: escaped, on one line, truncated.
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
            faults.add("", ValidationErrorCode::UnknownField, "x");
        }
        let list = faults.into_list();
        assert_eq!(list.len(), MAX_VALIDATION_ERRORS + 1);
        assert_eq!(list[MAX_VALIDATION_ERRORS].code, ValidationErrorCode::MoreErrors);
    }
}
