//! `/settings`: the tabs and their common layout.

pub(crate) mod account;
pub(crate) mod audit;
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
    Audit,
    Account,
}

impl Tab {
    const ALL: [Self; 10] = [
        Self::Profile,
        Self::Thresholds,
        Self::Coach,
        Self::Notes,
        Self::Data,
        Self::Integrations,
        Self::Security,
        Self::Users,
        Self::Audit,
        Self::Account,
    ];

    const fn path_and_label(self) -> (&'static str, &'static str) {
        match self {
            Self::Profile => ("/settings", "Profile"),
            Self::Thresholds => ("/settings/thresholds", "Thresholds and zones"),
            Self::Coach => ("/settings/coach", "Coach"),
            Self::Notes => ("/settings/notes", "Notes"),
            Self::Data => ("/data", "Data"),
            Self::Integrations => ("/settings/integrations", "Integrations"),
            Self::Security => ("/settings/security", "Security"),
            Self::Users => ("/settings/users", "Users"),
            Self::Audit => ("/settings/audit", "Audit log"),
            Self::Account => ("/settings/account", "Account"),
        }
    }
}

pub(crate) fn page(view: &PageContext, tab: Tab, body: &Markup) -> Response {
    let (_, title) = tab.path_and_label();
    page_with_title(view, tab, title, body)
}

/// A page within a tab that has its own title.
pub(crate) fn page_with_title(view: &PageContext, tab: Tab, title: &str, body: &Markup) -> Response {
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

/// Status 422, for a form shown again with its errors.
pub(crate) fn invalid_form_page(view: &PageContext, tab: Tab, body: &Markup) -> Response {
    unprocessable(page(view, tab, body))
}

/// Text with a copy button, which a script shows.
pub(crate) fn copyable(id: &str, line: &str) -> Markup {
    html! {
        pre.copy id=(id) tabindex="0" { (line) }
        button.small type="button" data-copy=(id) hidden { "Copy" }
    }
}
