//! What a form sent, and what is wrong with it.

use crate::auth::routes::FORM_TOKEN_FIELD;
use crate::http::error::PageError;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use fitness_core::domain::untrusted_text::{escape_and_truncate, strip_invisible};
use maud::{Markup, html};
use std::collections::BTreeMap;

/// No form of ours has more.
const MAX_FIELDS: usize = 2000;
/// The longest thing anybody writes into one field.
const MAX_VALUE_BYTES: usize = 64 * 1024;

/// As much of what was written is shown again to somebody who has to sign in first: more than anybody writes by hand.
const MAX_ECHOED_CHARS: usize = 40_000;
/// Fields whose content is nobody's to read, not even over the shoulder of whoever wrote it.
const SECRET_FIELDS: [&str; 6] = ["password", "again", "old", "calendar_old", "key", "code"];

/// The fields of a form, in the order they were sent.
#[derive(Debug, Clone, Default)]
pub(crate) struct FormFields(Vec<(String, String)>);

impl FormFields {
    /// Reads `a=b&c=d`.
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

    /// The value of a field that is there once.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let mut found = self.0.iter().filter(|(key, _)| key == name).map(|(_, value)| value.as_str());
        found.next().filter(|_| found.next().is_none())
    }

    /// The value of a field without the spaces around it; `None` when it was left empty.
    pub(crate) fn get_trimmed(&self, name: &str) -> Option<&str> {
        self.get(name).map(str::trim).filter(|value| !value.is_empty())
    }

    /// Every value of a field, such as of boxes that are ticked.
    pub(crate) fn get_all<'a, 'n>(&'a self, name: &'n str) -> impl Iterator<Item = &'a str> + use<'a, 'n> {
        self.0.iter().filter(move |(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// Whether a box is ticked.
    pub(crate) fn is_checked(&self, name: &str) -> bool {
        self.get_all(name).next().is_some()
    }

    /// Whether a box with this value is ticked.
    pub(crate) fn has_value(&self, name: &str, value: &str) -> bool {
        self.get_all(name).any(|given| given == value)
    }

    /// Every field but those that a form of ours adds to it, as hidden fields of the form that comes next.
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

    /// The fields as an address has them after its `?`, but for some.
    pub(crate) fn to_query(&self, without: &[&str]) -> String {
        let own = |name: &str| {
            name != FORM_TOKEN_FIELD
                && name != crate::auth::confirmation::CONFIRMATION_FIELD
                && name != "done"
        };
        let kept = self.0.iter().filter(|(name, _)| own(name) && !without.contains(&name.as_str()));
        form_urlencoded::Serializer::new(String::new()).extend_pairs(kept).finish()
    }

    /// What somebody wrote by hand, to be shown to them again: no secrets, nothing that a page of ours added, nothing that is
    /// not seen, and not more than fits a page.
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

    /// A field with a value it begins with.
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

/// What an address asks for after its `?`, read as a form is.
#[derive(Debug, Clone, Default)]
pub(crate) struct QueryFields(pub(crate) FormFields);

impl<S: Sync> FromRequestParts<S> for QueryFields {
    type Rejection = PageError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, PageError> {
        FormFields::parse(parts.uri.query().unwrap_or_default().as_bytes()).map(Self)
    }
}

/// What is wrong with a form, a sentence for each field. The form is shown again with what was written into it.
#[derive(Debug, Clone, Default)]
pub(crate) struct FieldErrors(BTreeMap<&'static str, String>);

impl FieldErrors {
    /// Whether anything is.
    pub(crate) fn has_any(&self) -> bool {
        !self.0.is_empty()
    }

    /// Notes what is wrong with a field. What was said first about it stands.
    pub(crate) fn add(&mut self, field: &'static str, sentence: impl Into<String>) {
        self.0.entry(field).or_insert_with(|| escape_and_truncate(&sentence.into()));
    }

    /// Takes what was read from a field, or notes why it could not be.
    pub(crate) fn ok_or_add<T, E: ToString>(&mut self, field: &'static str, read: Result<T, E>) -> Option<T> {
        read.map_err(|why| self.add(field, why.to_string())).ok()
    }

    /// What is wrong with a field.
    pub(crate) fn get(&self, field: &str) -> Option<&str> {
        self.0.get(field).map(String::as_str)
    }

    /// Everything that is wrong.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.0.iter().map(|(field, sentence)| (*field, sentence.as_str()))
    }
}
