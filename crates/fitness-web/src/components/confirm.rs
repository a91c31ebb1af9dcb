//! Confirmation page for decisions. No button has the focus when it opens, so that Enter decides
//! nothing.

use crate::auth::confirmation::hidden_fields;
use crate::http::error::PageError;
use crate::page::{NavItem, PageContext};
use axum::response::Response;
use fitness_store::plan::consent::ConfirmationRequest;
use maud::{Markup, html};

pub(crate) struct ConfirmationPage<'a> {
    /// `Commit to this plan?`
    pub(crate) title: &'a str,
    pub(crate) description: Markup,
    pub(crate) request: ConfirmationRequest,
    /// The URL the form posts to.
    pub(crate) action: &'a str,
    /// Further hidden fields of the form.
    pub(crate) fields: Markup,
    pub(crate) confirm_label: &'a str,
    /// Whether the decision cannot be undone.
    pub(crate) is_destructive: bool,
    /// URL and label of the button that cancels.
    pub(crate) back_link: (&'a str, &'a str),
}

impl ConfirmationPage<'_> {
    pub(crate) fn render(&self, view: &PageContext) -> Result<Response, PageError> {
        let hidden = hidden_fields(view, &self.request)?;
        let (back, called) = self.back_link;
        let body = html! {
            section.card.ask {
                h1 { (self.title) }
                (self.description)
                form method="post" action=(self.action) {
                    (hidden) (self.fields)
                    p.actions {
                        a.btn href=(back) { (called) }
                        button class=(if self.is_destructive { "danger" } else { "primary" }) type="submit" { (self.confirm_label) }
                    }
                }
                p.small.soft { "This page expires in 10 minutes." }
            }
        };
        Ok(view.page(NavItem::Plan, self.title, &body))
    }
}
