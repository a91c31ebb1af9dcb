//! The confirm handler: the one place of the server where a consent is made.
//!
//! A page that names what will happen opens a question; its form brings the question's secret back. By then the call has
//! come from a signed-in browser, without any `Authorization`, from one of our own pages, with the session's form token. A browser
//! that a link signed in is confirmed first, by the password or by a code from the terminal.

use crate::http::error::PageError;
use crate::http::form::FormFields;
use crate::page::PageContext;
use fitness_core::domain::content_hash::ContentHash;
use fitness_core::domain::ids::PlanId;
use fitness_core::plan::ActionKind;
use fitness_store::Consent;
use fitness_store::plan::consent::{Channel, ConfirmationRequest};
use maud::{Markup, html};

/// The field with the question's secret.
pub(crate) const CONFIRMATION_FIELD: &str = "question";

/// Something that only a human decides, as they were shown it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Decision {
    /// What would be done.
    pub(crate) kind: ActionKind,
    /// To which plan; `None` only for removing the account.
    pub(crate) plan: Option<PlanId>,
    /// What they were shown, in 32 bytes.
    pub(crate) shown_hash: ContentHash,
}

impl Decision {
    const fn confirmation_request(&self) -> ConfirmationRequest {
        ConfirmationRequest {
            kind: self.kind,
            plan: self.plan,
            content_hash: self.shown_hash,
            channel: Channel::Web,
        }
    }

    /// Opens the question and gives the hidden fields its form needs: the session's token and the question's secret.
    pub(crate) async fn request_confirmation(&self, view: &PageContext) -> Result<Markup, PageError> {
        view.require_confirmed()?;
        let token =
            view.store().request_confirmation(view.user(), &self.confirmation_request(), view.now).await?;
        Ok(html! {
            (view.token_field())
            input type="hidden" name=(CONFIRMATION_FIELD) value=(token.reveal());
        })
    }

    /// Takes the answer.
    pub(crate) async fn verify_confirmation(
        &self,
        view: &PageContext,
        fields: &FormFields,
    ) -> Result<Consent, PageError> {
        if !view.current_user.is_confirmed {
            return Err(PageError::forbidden(
                "A link signed this browser in, and it may not decide yet. Nothing was changed. Open the page again: it asks you to \
                 confirm that it is you.",
            ));
        }
        let secret = fields.get(CONFIRMATION_FIELD).unwrap_or_default();
        #[expect(
            clippy::disallowed_methods,
            reason = "a signed-in person has just sent the form of the page that named what will happen"
        )]
        let consent = view
            .store()
            .redeem_confirmation(view.user(), &self.confirmation_request(), secret, view.now)
            .await?;
        Ok(consent)
    }
}
