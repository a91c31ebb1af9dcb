//! `/settings`: who the athlete is, what loads are measured by, who coaches, who else may ask, and who is signed in.

pub(crate) mod account;
pub(crate) mod coach;
pub(crate) mod integrations;
pub(crate) mod notes;
pub(crate) mod profile;
pub(crate) mod security;
pub(crate) mod thresholds;
pub(crate) mod users;

use crate::http::response::unprocessable;
use crate::page::{Place, View};
use axum::response::Response;
use maud::{Markup, html};

/// The rooms of the settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tab {
    Profile,
    Limits,
    Coach,
    Notes,
    Data,
    Connect,
    Security,
    People,
    Account,
}

impl Tab {
    const ALL: [Self; 9] = [
        Self::Profile,
        Self::Limits,
        Self::Coach,
        Self::Notes,
        Self::Data,
        Self::Connect,
        Self::Security,
        Self::People,
        Self::Account,
    ];

    /// Its address and what it is called.
    const fn told(self) -> (&'static str, &'static str) {
        match self {
            Self::Profile => ("/settings", "Profile"),
            Self::Limits => ("/settings/limits", "Limits and zones"),
            Self::Coach => ("/settings/coach", "Coach"),
            Self::Notes => ("/settings/notes", "Notes"),
            Self::Data => ("/sources", "Data"),
            Self::Connect => ("/settings/connect", "Connect"),
            Self::Security => ("/settings/security", "Security"),
            Self::People => ("/settings/people", "People"),
            Self::Account => ("/settings/account", "Account"),
        }
    }
}

/// A page of the settings.
pub(crate) fn page(view: &View, tab: Tab, body: &Markup) -> Response {
    let (_, title) = tab.told();
    let body = html! {
        nav.tabs aria-label="Settings" {
            @for other in Tab::ALL {
                @if other != Tab::People || view.seat.owner {
                    @let (address, called) = other.told();
                    a href=(address) aria-current=[(other == tab).then_some("page")] { (called) }
                }
            }
        }
        h1 { (title) }
        (body)
    };
    view.page(Place::Settings, title, &body)
}

/// The same with what is wrong with a form on it.
pub(crate) fn again(view: &View, tab: Tab, body: &Markup) -> Response {
    unprocessable(page(view, tab, body))
}

/// A line to be copied to another program, with a button where there is a script.
pub(crate) fn copyable(id: &str, line: &str) -> Markup {
    html! {
        pre.copy id=(id) tabindex="0" { (line) }
        button.small type="button" data-copy=(id) hidden { "Copy" }
    }
}
