//! Form fields and their validation errors.

use crate::auth::routes::FORM_TOKEN_FIELD;
use crate::components::core_message;
use crate::http::error::PageError;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use fitness_core::domain::untrusted_text::{escape_and_truncate, strip_invisible};
use maud::{Markup, html};
use std::collections::BTreeMap;
use std::fmt::Display;

/// More than any of our forms has.
const MAX_FIELDS: usize = 2000;
const MAX_VALUE_BYTES: usize = 64 * 1024;

/// Limit for showing typed text again to someone who has to sign in first.
const MAX_ECHOED_CHARS: usize = 40_000;
/// Fields that are never shown again.
const SECRET_FIELDS: [&str; 6] = ["password", "again", "old", "calendar_old", "key", "code"];

/// The fields of a form, in the order they were sent.
#[derive(Debug, Clone, Default)]
pub(crate) struct FormFields(Vec<(String, String)>);

impl FormFields {
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, PageError> {
        let mut fields = Vec::new();
        for (name, value) in form_urlencoded::parse(bytes) {
            if fields.len() == MAX_FIELDS || value.len() > MAX_VALUE_BYTES {
                return Err(PageError::payload_too_large());
            }
            fields.push((name.into_owned(), value.into_owned()));
        }
        Ok(Self(fields))
    }

    /// `None` when the field is missing or was sent more than once.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let mut found = self.0.iter().filter(|(key, _)| key == name).map(|(_, value)| value.as_str());
        found.next().filter(|_| found.next().is_none())
    }

    /// The trimmed value; `None` when empty.
    pub(crate) fn get_trimmed(&self, name: &str) -> Option<&str> {
        self.get(name).map(str::trim).filter(|value| !value.is_empty())
    }

    /// Every value of a field, such as of checkboxes with one name.
    pub(crate) fn get_all<'a, 'n>(&'a self, name: &'n str) -> impl Iterator<Item = &'a str> + use<'a, 'n> {
        self.0.iter().filter(move |(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn is_checked(&self, name: &str) -> bool {
        self.get_all(name).next().is_some()
    }

    /// Whether the checkbox with this value is checked.
    pub(crate) fn has_value(&self, name: &str, value: &str) -> bool {
        self.get_all(name).any(|given| given == value)
    }

    /// The user's fields as hidden inputs, for the next form of a flow.
    pub(crate) fn hidden_inputs(&self) -> Markup {
        let own = |name: &str| {
            name != FORM_TOKEN_FIELD
                && name != crate::auth::confirmation::CONFIRMATION_FIELD
                && name != "done"
        };
        html! {
            @for (name, value) in self.0.iter().filter(|(name, _)| own(name)) {
                input type="hidden" name=(name) value=(value);
            }
        }
    }

    /// The user's fields as a query string, except those in `without`.
    pub(crate) fn to_query(&self, without: &[&str]) -> String {
        let own = |name: &str| {
            name != FORM_TOKEN_FIELD
                && name != crate::auth::confirmation::CONFIRMATION_FIELD
                && name != "done"
        };
        let kept = self.0.iter().filter(|(name, _)| own(name) && !without.contains(&name.as_str()));
        form_urlencoded::Serializer::new(String::new()).extend_pairs(kept).finish()
    }

    /// What the user typed, to show it again: no secrets, no fields of ours, no invisible
    /// characters, at most `MAX_ECHOED_CHARS`.
    pub(crate) fn typed_values(&self) -> Vec<(&str, String)> {
        let mut left = MAX_ECHOED_CHARS;
        let own = |name: &str| {
            let ours = [FORM_TOKEN_FIELD, crate::auth::confirmation::CONFIRMATION_FIELD, "done", "to"]
                .contains(&name);
            ours || SECRET_FIELDS.contains(&name)
        };
        let written = self.0.iter().filter(|(name, value)| !own(name) && !value.trim().is_empty());
        let bounded = written.map_while(|(name, value)| {
            let shown: String = strip_invisible(value).chars().take(left).collect();
            left -= shown.chars().count();
            (!shown.is_empty() && name.chars().count() <= 40).then_some((name.as_str(), shown))
        });
        bounded.take(40).collect()
    }

    /// Adds an initial value.
    pub(crate) fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.0.push((name.to_owned(), value.into()));
        self
    }
}

impl<S: Sync> FromRequestParts<S> for FormFields {
    type Rejection = PageError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, PageError> {
        parts.extensions.get::<Self>().cloned().ok_or_else(PageError::not_found)
    }
}

/// The query string, parsed like a form.
#[derive(Debug, Clone, Default)]
pub(crate) struct QueryFields(pub(crate) FormFields);

impl<S: Sync> FromRequestParts<S> for QueryFields {
    type Rejection = PageError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, PageError> {
        FormFields::parse(parts.uri.query().unwrap_or_default().as_bytes()).map(Self)
    }
}

/// Validation errors, one sentence per field.
#[derive(Debug, Clone, Default)]
pub(crate) struct FieldErrors(BTreeMap<&'static str, String>);

impl FieldErrors {
    pub(crate) fn has_any(&self) -> bool {
        !self.0.is_empty()
    }

    /// Adds an error. The first one of a field wins.
    pub(crate) fn add(&mut self, field: &'static str, sentence: impl Into<String>) {
        self.0.entry(field).or_insert_with(|| escape_and_truncate(&sentence.into()));
    }

    /// Unwraps a parsed field or adds its error as a sentence.
    pub(crate) fn ok_or_add<T, E: Display>(&mut self, field: &'static str, read: Result<T, E>) -> Option<T> {
        read.map_err(|why| self.add(field, core_message::hint(&why))).ok()
    }

    pub(crate) fn get(&self, field: &str) -> Option<&str> {
        self.0.get(field).map(String::as_str)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.0.iter().map(|(field, sentence)| (*field, sentence.as_str()))
    }
}
