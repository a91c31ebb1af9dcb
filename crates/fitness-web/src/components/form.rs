//! Form fields: label, hint, submitted value and error.

use crate::http::form::{FieldErrors, FormFields};
use maud::{Markup, PreEscaped, html};

/// A form with its submitted values and errors.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SubmittedForm<'a> {
    pub(crate) fields: &'a FormFields,
    pub(crate) errors: &'a FieldErrors,
}

/// Options of a single-line field.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct InputOptions {
    /// `date`, `number`, `password`, `search`; default `text`.
    pub(crate) input_type: &'static str,
    pub(crate) hint: &'static str,
    pub(crate) placeholder: &'static str,
    pub(crate) is_required: bool,
    /// The `autocomplete` attribute; default `off`.
    pub(crate) autocomplete: &'static str,
    /// Entries of the `datalist`; other values are accepted too.
    pub(crate) suggestions: &'static [&'static str],
}

impl SubmittedForm<'_> {
    /// All errors above a form that saves something, each with a link to its field.
    pub(crate) fn error_summary(&self) -> Markup {
        self.error_list(&html! { strong { "Nothing was changed." } " Please check:" })
    }

    /// The same for a form that changes no stored data, such as a preview.
    pub(crate) fn input_error_summary(&self) -> Markup {
        self.error_list(&html! { strong { "Please check:" } })
    }

    fn error_list(&self, heading: &Markup) -> Markup {
        html! {
            @if self.errors.has_any() {
                div.faults role="alert" {
                    p { (heading) }
                    ul { @for (field, sentence) in self.errors.iter() { li { a href={ "#" (field) } { (sentence) } } } }
                }
            }
        }
    }

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
                        // Without `</option>`: HTML allows it, and there may be hundreds. The
                        // values are our own.
                        @for offer in line.suggestions { (PreEscaped(format!("<option>{offer}"))) }
                    }
                }
            },
        )
    }

    pub(crate) fn textarea(&self, name: &str, label: &str, hint: &str) -> Markup {
        let described = self.described_by(name, hint);
        self.render_field(name, label, hint, html! {
            textarea id=(name) name=(name) rows="3" aria-describedby=[described]
                aria-invalid=[self.errors.get(name).map(|_| "true")] { (self.fields.get(name).unwrap_or_default()) }
        })
    }

    /// Each choice is a value and its label.
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

    /// Each choice is a value and its label.
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
