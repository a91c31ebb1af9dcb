//! Fields of forms: a label, what it is for, what was written, and what is wrong with it.

use crate::http::form::{Faults, Fields};
use maud::{Markup, PreEscaped, html};

/// A form being filled in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Filling<'a> {
    /// What was written so far.
    pub(crate) fields: &'a Fields,
    /// What is wrong with it.
    pub(crate) faults: &'a Faults,
}

/// How a field of one line is shown.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Line {
    /// `text`, `date`, `number`, `password`; text when empty.
    pub(crate) kind: &'static str,
    /// What it is for, or what to write; may be empty.
    pub(crate) hint: &'static str,
    /// An example.
    pub(crate) example: &'static str,
    /// Whether it may not be left empty.
    pub(crate) required: bool,
    /// What a browser may fill in by itself; `off` when empty.
    pub(crate) autocomplete: &'static str,
    /// What is offered while writing; anything else may be written all the same.
    pub(crate) offers: &'static [&'static str],
}

impl Filling<'_> {
    /// What is wrong, at the top, each with a link to its field.
    pub(crate) fn summary(&self) -> Markup {
        html! {
            @if self.faults.any() {
                div.faults role="alert" {
                    p { strong { "Nothing was saved yet." } " Please look at:" }
                    ul { @for (field, sentence) in self.faults.all() { li { a href={ "#" (field) } { (sentence) } } } }
                }
            }
        }
    }

    /// A field of one line.
    pub(crate) fn line(&self, name: &str, label: &str, line: Line) -> Markup {
        let kind = if line.kind.is_empty() { "text" } else { line.kind };
        let autocomplete = if line.autocomplete.is_empty() { "off" } else { line.autocomplete };
        let value = (kind != "password").then(|| self.fields.one(name)).flatten();
        let described = self.described(name, line.hint);
        self.around(
            name,
            label,
            line.hint,
            html! {
                input id=(name) name=(name) type=(kind) value=[value] placeholder=[some(line.example)]
                    required[line.required] autocomplete=(autocomplete) aria-describedby=[described]
                    aria-invalid=[self.faults.of(name).map(|_| "true")]
                    list=[line.offers.first().map(|_| format!("{name}-offers"))];
                @if !line.offers.is_empty() {
                    datalist id={ (name) "-offers" } {
                        // The end of an option may be left out, and there may be hundreds of them; they are our own words.
                        @for offer in line.offers { (PreEscaped(format!("<option>{offer}"))) }
                    }
                }
            },
        )
    }

    /// A field of several lines.
    pub(crate) fn area(&self, name: &str, label: &str, hint: &str) -> Markup {
        let described = self.described(name, hint);
        self.around(name, label, hint, html! {
            textarea id=(name) name=(name) rows="3" aria-describedby=[described]
                aria-invalid=[self.faults.of(name).map(|_| "true")] { (self.fields.one(name).unwrap_or_default()) }
        })
    }

    /// One of several words. Each choice is its value and what it is called.
    pub(crate) fn choice(&self, name: &str, label: &str, hint: &str, choices: &[(&str, &str)]) -> Markup {
        let described = self.described(name, hint);
        self.around(
            name,
            label,
            hint,
            html! {
                select id=(name) name=(name) aria-describedby=[described] {
                    @for (value, called) in choices {
                        option value=(value) selected[self.fields.one(name) == Some(value)] { (called) }
                    }
                }
            },
        )
    }

    /// Boxes to tick. Each is its value and what it is called.
    pub(crate) fn boxes(&self, name: &str, label: &str, hint: &str, choices: &[(&str, &str)]) -> Markup {
        html! {
            fieldset.field id=(name) {
                legend { (label) }
                @if !hint.is_empty() { p.hint { (hint) } }
                div.boxes {
                    @for (value, called) in choices {
                        label { input type="checkbox" name=(name) value=(value) checked[self.fields.has(name, value)]; " " (called) }
                    }
                }
                (self.fault(name))
            }
        }
    }

    fn around(&self, name: &str, label: &str, hint: &str, input: Markup) -> Markup {
        html! {
            div.field {
                label for=(name) { (label) }
                @if !hint.is_empty() { p.hint id={ (name) "-hint" } { (hint) } }
                (input)
                (self.fault(name))
            }
        }
    }

    fn fault(&self, name: &str) -> Markup {
        match self.faults.of(name) {
            Some(sentence) => html! { p.fault id={ (name) "-fault" } { (sentence) } },
            None => PreEscaped(String::new()),
        }
    }

    fn described(&self, name: &str, hint: &str) -> Option<String> {
        let hint = (!hint.is_empty()).then(|| format!("{name}-hint"));
        let fault = self.faults.of(name).map(|_| format!("{name}-fault"));
        let ids: Vec<String> = hint.into_iter().chain(fault).collect();
        (!ids.is_empty()).then(|| ids.join(" "))
    }
}

fn some(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}
