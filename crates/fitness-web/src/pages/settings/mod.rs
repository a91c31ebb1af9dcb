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
use crate::page::{NavItem, PageContext};
use axum::response::Response;
use maud::{Markup, html};

/// The rooms of the settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tab {
    Profile,
    Thresholds,
    Coach,
    Notes,
    Data,
    Integrations,
    Security,
    Users,
    Account,
}

impl Tab {
    const ALL: [Self; 9] = [
        Self::Profile,
        Self::Thresholds,
        Self::Coach,
        Self::Notes,
        Self::Data,
        Self::Integrations,
        Self::Security,
        Self::Users,
        Self::Account,
    ];

    /// Its address and what it is called.
    const fn path_and_label(self) -> (&'static str, &'static str) {
        match self {
            Self::Profile => ("/settings", "Profile"),
            Self::Thresholds => ("/settings/limits", "Limits and zones"),
            Self::Coach => ("/settings/coach", "Coach"),
            Self::Notes => ("/settings/notes", "Notes"),
            Self::Data => ("/sources", "Data"),
            Self::Integrations => ("/settings/connect", "Connect"),
            Self::Security => ("/settings/security", "Security"),
            Self::Users => ("/settings/people", "People"),
            Self::Account => ("/settings/account", "Account"),
        }
    }
}

/// A page of the settings.
pub(crate) fn page(view: &PageContext, tab: Tab, body: &Markup) -> Response {
    let (_, title) = tab.path_and_label();
    let body = html! {
        nav.tabs aria-label="Settings" {
            @for other in Tab::ALL {
                @if other != Tab::Users || view.current_user.is_owner {
                    @let (address, called) = other.path_and_label();
                    a href=(address) aria-current=[(other == tab).then_some("page")] { (called) }
                }
            }
        }
        h1 { (title) }
        (body)
    };
    view.page(NavItem::Settings, title, &body)
}

/// The same with what is wrong with a form on it.
pub(crate) fn invalid_form_page(view: &PageContext, tab: Tab, body: &Markup) -> Response {
    unprocessable(page(view, tab, body))
}

/// A line to be copied to another program, with a button where there is a script.
pub(crate) fn copyable(id: &str, line: &str) -> Markup {
    html! {
        pre.copy id=(id) tabindex="0" { (line) }
        button.small type="button" data-copy=(id) hidden { "Copy" }
    }
}
