//! The confirm handler: the one place of the server where a consent is made.
//!
//! A page that names what will happen opens a question; its form brings the question's secret back. By then the call has
//! come from a signed-in browser, without any `Authorization`, from one of our own pages, with the session's form token. A browser
//! that a link signed in is confirmed first, by the password or by a code from the terminal.

use crate::http::error::Problem;
use crate::http::form::Fields;
use crate::page::View;
use fitness_core::domain::content_hash::ContentHash;
use fitness_core::domain::ids::PlanId;
use fitness_core::plan::ActionKind;
use fitness_store::Consent;
use fitness_store::plan::consent::{Channel, Question};
use maud::{Markup, html};

/// The field with the question's secret.
pub(crate) const FIELD: &str = "question";

/// Something that only a human decides, as they were shown it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Decision {
    /// What would be done.
    pub(crate) kind: ActionKind,
    /// To which plan; `None` only for removing the account.
    pub(crate) plan: Option<PlanId>,
    /// What they were shown, in 32 bytes.
    pub(crate) seen: ContentHash,
}

impl Decision {
    const fn question(&self) -> Question {
        Question { kind: self.kind, plan: self.plan, seen: self.seen, channel: Channel::Web }
    }

    /// Opens the question and gives the hidden fields its form needs: the session's token and the question's secret.
    pub(crate) async fn ask(&self, view: &View) -> Result<Markup, Problem> {
        view.require_confirmed()?;
        let token = view.store().open_confirmation(view.user(), &self.question(), view.now).await?;
        Ok(html! {
            (view.token_field())
            input type="hidden" name=(FIELD) value=(token.reveal());
        })
    }

    /// Takes the answer.
    pub(crate) async fn answered(&self, view: &View, fields: &Fields) -> Result<Consent, Problem> {
        if !view.seat.may_decide {
            return Err(Problem::refused(
                "A link signed this browser in, and it may not decide yet. Nothing was changed. Open the page again: it asks you to \
                 confirm that it is you.",
            ));
        }
        let secret = fields.one(FIELD).unwrap_or_default();
        #[expect(
            clippy::disallowed_methods,
            reason = "a signed-in person has just sent the form of the page that named what will happen"
        )]
        let consent =
            view.store().spend_confirmation(view.user(), &self.question(), secret, view.now).await?;
        Ok(consent)
    }
}
