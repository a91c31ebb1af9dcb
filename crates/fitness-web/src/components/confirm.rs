//! The page that names what will happen before a human decides. Nothing on it has the focus when it opens.

use crate::auth::confirmation::Decision;
use crate::http::error::Problem;
use crate::page::{Place, View};
use axum::response::Response;
use maud::{Markup, html};

/// A question to a human.
pub(crate) struct Asking<'a> {
    /// What is asked: `Commit this plan?`
    pub(crate) title: &'a str,
    /// What will happen.
    pub(crate) what: Markup,
    /// What is decided on.
    pub(crate) decision: Decision,
    /// Where the answer goes.
    pub(crate) action: &'a str,
    /// What the form carries besides the answer.
    pub(crate) fields: Markup,
    /// The word on the button that decides.
    pub(crate) yes: &'a str,
    /// Whether it takes something away for good.
    pub(crate) danger: bool,
    /// Where to go instead, and what that is called.
    pub(crate) back: (&'a str, &'a str),
}

impl Asking<'_> {
    /// Opens the question.
    pub(crate) async fn page(&self, view: &View) -> Result<Response, Problem> {
        let secret = self.decision.ask(view).await?;
        let (back, called) = self.back;
        let body = html! {
            section.card.ask {
                h1 { (self.title) }
                (self.what)
                form method="post" action=(self.action) {
                    (secret) (self.fields)
                    p.actions {
                        a.btn href=(back) { (called) }
                        button class=(if self.danger { "danger" } else { "primary" }) type="submit" { (self.yes) }
                    }
                }
                p.small.soft { "Only you can do this: here, or at the terminal. The question stays open for ten minutes." }
            }
        };
        Ok(view.page(Place::Plan, self.title, &body))
    }
}
