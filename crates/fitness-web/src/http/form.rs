//! What a form sent, and what is wrong with it.

use crate::auth::routes::TOKEN_FIELD;
use crate::http::error::Problem;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use fitness_core::domain::untrusted_text::{seen, told_back};
use maud::{Markup, html};
use std::collections::BTreeMap;

/// No form of ours has more.
const MAX_FIELDS: usize = 2000;
/// The longest thing anybody writes into one field.
const MAX_VALUE: usize = 64 * 1024;

/// As much of what was written is shown again to somebody who has to sign in first: more than anybody writes by hand.
const MOST_WRITTEN: usize = 40_000;
/// Fields whose content is nobody's to read, not even over the shoulder of whoever wrote it.
const SECRETS: [&str; 6] = ["password", "again", "old", "calendar_old", "key", "code"];

/// The fields of a form, in the order they were sent.
#[derive(Debug, Clone, Default)]
pub(crate) struct Fields(Vec<(String, String)>);

impl Fields {
    /// Reads `a=b&c=d`.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, Problem> {
        let mut fields = Vec::new();
        for (name, value) in form_urlencoded::parse(bytes) {
            if fields.len() == MAX_FIELDS || value.len() > MAX_VALUE {
                return Err(Problem::too_much());
            }
            fields.push((name.into_owned(), value.into_owned()));
        }
        Ok(Self(fields))
    }

    /// The value of a field that is there once.
    pub(crate) fn one(&self, name: &str) -> Option<&str> {
        let mut found = self.0.iter().filter(|(key, _)| key == name).map(|(_, value)| value.as_str());
        found.next().filter(|_| found.next().is_none())
    }

    /// The value of a field without the spaces around it; `None` when it was left empty.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.one(name).map(str::trim).filter(|value| !value.is_empty())
    }

    /// Every value of a field, such as of boxes that are ticked.
    pub(crate) fn all<'a, 'n>(&'a self, name: &'n str) -> impl Iterator<Item = &'a str> + use<'a, 'n> {
        self.0.iter().filter(move |(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// Whether a box is ticked.
    pub(crate) fn ticked(&self, name: &str) -> bool {
        self.all(name).next().is_some()
    }

    /// Whether a box with this value is ticked.
    pub(crate) fn has(&self, name: &str, value: &str) -> bool {
        self.all(name).any(|given| given == value)
    }

    /// Every field but those that a form of ours adds to it, as hidden fields of the form that comes next.
    pub(crate) fn hidden(&self) -> Markup {
        let own =
            |name: &str| name != TOKEN_FIELD && name != crate::auth::confirmation::FIELD && name != "done";
        html! {
            @for (name, value) in self.0.iter().filter(|(name, _)| own(name)) {
                input type="hidden" name=(name) value=(value);
            }
        }
    }

    /// The fields as an address has them after its `?`, but for some.
    pub(crate) fn query(&self, without: &[&str]) -> String {
        let own =
            |name: &str| name != TOKEN_FIELD && name != crate::auth::confirmation::FIELD && name != "done";
        let kept = self.0.iter().filter(|(name, _)| own(name) && !without.contains(&name.as_str()));
        form_urlencoded::Serializer::new(String::new()).extend_pairs(kept).finish()
    }

    /// What somebody wrote by hand, to be shown to them again: no secrets, nothing that a page of ours added, nothing that is
    /// not seen, and not more than fits a page.
    pub(crate) fn written(&self) -> Vec<(&str, String)> {
        let mut left = MOST_WRITTEN;
        let own = |name: &str| {
            let ours = [TOKEN_FIELD, crate::auth::confirmation::FIELD, "done", "to"].contains(&name);
            ours || SECRETS.contains(&name)
        };
        let written = self.0.iter().filter(|(name, value)| !own(name) && !value.trim().is_empty());
        let bounded = written.map_while(|(name, value)| {
            let shown: String = seen(value).chars().take(left).collect();
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

impl<S: Sync> FromRequestParts<S> for Fields {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        parts.extensions.get::<Self>().cloned().ok_or_else(Problem::not_found)
    }
}

/// What an address asks for after its `?`, read as a form is.
#[derive(Debug, Clone, Default)]
pub(crate) struct Asked(pub(crate) Fields);

impl<S: Sync> FromRequestParts<S> for Asked {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        Fields::read(parts.uri.query().unwrap_or_default().as_bytes()).map(Self)
    }
}

/// What is wrong with a form, a sentence for each field. The form is shown again with what was written into it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Faults(BTreeMap<&'static str, String>);

impl Faults {
    /// Whether anything is.
    pub(crate) fn any(&self) -> bool {
        !self.0.is_empty()
    }

    /// Notes what is wrong with a field. What was said first about it stands.
    pub(crate) fn add(&mut self, field: &'static str, sentence: impl Into<String>) {
        self.0.entry(field).or_insert_with(|| told_back(&sentence.into()));
    }

    /// Takes what was read from a field, or notes why it could not be.
    pub(crate) fn take<T, E: ToString>(&mut self, field: &'static str, read: Result<T, E>) -> Option<T> {
        read.map_err(|why| self.add(field, why.to_string())).ok()
    }

    /// What is wrong with a field.
    pub(crate) fn of(&self, field: &str) -> Option<&str> {
        self.0.get(field).map(String::as_str)
    }

    /// Everything that is wrong.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.0.iter().map(|(field, sentence)| (*field, sentence.as_str()))
    }
}
