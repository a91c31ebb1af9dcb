//! The page that names what will happen before a human decides. Nothing on it has the focus when it opens.

use crate::auth::confirmation::Decision;
use crate::http::error::PageError;
use crate::page::{NavItem, PageContext};
use axum::response::Response;
use maud::{Markup, html};

/// A question to a human.
pub(crate) struct ConfirmationPage<'a> {
    /// What is asked: `Commit this plan?`
    pub(crate) title: &'a str,
    /// What will happen.
    pub(crate) description: Markup,
    /// What is decided on.
    pub(crate) decision: Decision,
    /// Where the answer goes.
    pub(crate) action: &'a str,
    /// What the form carries besides the answer.
    pub(crate) fields: Markup,
    /// The word on the button that decides.
    pub(crate) confirm_label: &'a str,
    /// Whether it takes something away for good.
    pub(crate) is_destructive: bool,
    /// Where to go instead, and what that is called.
    pub(crate) back_link: (&'a str, &'a str),
}

impl ConfirmationPage<'_> {
    /// Opens the question.
    pub(crate) async fn render(&self, view: &PageContext) -> Result<Response, PageError> {
        let secret = self.decision.request_confirmation(view).await?;
        let (back, called) = self.back_link;
        let body = html! {
            section.card.ask {
                h1 { (self.title) }
                (self.description)
                form method="post" action=(self.action) {
                    (secret) (self.fields)
                    p.actions {
                        a.btn href=(back) { (called) }
                        button class=(if self.is_destructive { "danger" } else { "primary" }) type="submit" { (self.confirm_label) }
                    }
                }
                p.small.soft { "Only you can do this: here, or at the terminal. The question stays open for ten minutes." }
            }
        };
        Ok(view.page(NavItem::Plan, self.title, &body))
    }
}
