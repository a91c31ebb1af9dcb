//! Fields of forms: a label, what it is for, what was written, and what is wrong with it.

use crate::http::form::{FieldErrors, FormFields};
use maud::{Markup, PreEscaped, html};

/// A form being filled in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FormState<'a> {
    /// What was written so far.
    pub(crate) fields: &'a FormFields,
    /// What is wrong with it.
    pub(crate) errors: &'a FieldErrors,
}

/// How a field of one line is shown.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct InputOptions {
    /// `text`, `date`, `number`, `password`; text when empty.
    pub(crate) input_type: &'static str,
    /// What it is for, or what to write; may be empty.
    pub(crate) hint: &'static str,
    /// An example.
    pub(crate) placeholder: &'static str,
    /// Whether it may not be left empty.
    pub(crate) is_required: bool,
    /// What a browser may fill in by itself; `off` when empty.
    pub(crate) autocomplete: &'static str,
    /// What is offered while writing; anything else may be written all the same.
    pub(crate) suggestions: &'static [&'static str],
}

impl FormState<'_> {
    /// What is wrong, at the top, each with a link to its field.
    pub(crate) fn error_summary(&self) -> Markup {
        html! {
            @if self.errors.has_any() {
                div.faults role="alert" {
                    p { strong { "Nothing was saved yet." } " Please look at:" }
                    ul { @for (field, sentence) in self.errors.iter() { li { a href={ "#" (field) } { (sentence) } } } }
                }
            }
        }
    }

    /// A field of one line.
    pub(crate) fn input(&self, name: &str, label: &str, line: InputOptions) -> Markup {
        let kind = if line.input_type.is_empty() { "text" } else { line.input_type };
        let autocomplete = if line.autocomplete.is_empty() { "off" } else { line.autocomplete };
        let value = (kind != "password").then(|| self.fields.get(name)).flatten();
        let described = self.described_by(name, line.hint);
        self.render_field(
            name,
            label,
            line.hint,
            html! {
                input id=(name) name=(name) type=(kind) value=[value] placeholder=[non_empty(line.placeholder)]
                    required[line.is_required] autocomplete=(autocomplete) aria-describedby=[described]
                    aria-invalid=[self.errors.get(name).map(|_| "true")]
                    list=[line.suggestions.first().map(|_| format!("{name}-offers"))];
                @if !line.suggestions.is_empty() {
                    datalist id={ (name) "-offers" } {
                        // The end of an option may be left out, and there may be hundreds of them; they are our own words.
                        @for offer in line.suggestions { (PreEscaped(format!("<option>{offer}"))) }
                    }
                }
            },
        )
    }

    /// A field of several lines.
    pub(crate) fn textarea(&self, name: &str, label: &str, hint: &str) -> Markup {
        let described = self.described_by(name, hint);
        self.render_field(name, label, hint, html! {
            textarea id=(name) name=(name) rows="3" aria-describedby=[described]
                aria-invalid=[self.errors.get(name).map(|_| "true")] { (self.fields.get(name).unwrap_or_default()) }
        })
    }

    /// One of several words. Each choice is its value and what it is called.
    pub(crate) fn select(&self, name: &str, label: &str, hint: &str, choices: &[(&str, &str)]) -> Markup {
        let described = self.described_by(name, hint);
        self.render_field(
            name,
            label,
            hint,
            html! {
                select id=(name) name=(name) aria-describedby=[described] {
                    @for (value, called) in choices {
                        option value=(value) selected[self.fields.get(name) == Some(value)] { (called) }
                    }
                }
            },
        )
    }

    /// Boxes to tick. Each is its value and what it is called.
    pub(crate) fn checkboxes(&self, name: &str, label: &str, hint: &str, choices: &[(&str, &str)]) -> Markup {
        html! {
            fieldset.field id=(name) {
                legend { (label) }
                @if !hint.is_empty() { p.hint { (hint) } }
                div.boxes {
                    @for (value, called) in choices {
                        label { input type="checkbox" name=(name) value=(value) checked[self.fields.has_value(name, value)]; " " (called) }
                    }
                }
                (self.error_message(name))
            }
        }
    }

    fn render_field(&self, name: &str, label: &str, hint: &str, input: Markup) -> Markup {
        html! {
            div.field {
                label for=(name) { (label) }
                @if !hint.is_empty() { p.hint id={ (name) "-hint" } { (hint) } }
                (input)
                (self.error_message(name))
            }
        }
    }

    fn error_message(&self, name: &str) -> Markup {
        match self.errors.get(name) {
            Some(sentence) => html! { p.fault id={ (name) "-fault" } { (sentence) } },
            None => PreEscaped(String::new()),
        }
    }

    fn described_by(&self, name: &str, hint: &str) -> Option<String> {
        let hint = (!hint.is_empty()).then(|| format!("{name}-hint"));
        let fault = self.errors.get(name).map(|_| format!("{name}-fault"));
        let ids: Vec<String> = hint.into_iter().chain(fault).collect();
        (!ids.is_empty()).then(|| ids.join(" "))
    }
}

fn non_empty(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}
