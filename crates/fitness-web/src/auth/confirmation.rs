//! The confirm handler: the only place of the server where a consent is made.
//!
//! A page that names what will happen carries a signed [`ConfirmationRequest`]; its form sends it
//! back. By then the request came from a signed-in browser, without an `Authorization` header, from
//! one of our own pages, with the session's form token. A browser that a link signed in is
//! confirmed first, by the password or by a code from the terminal.

use crate::http::error::PageError;
use crate::http::form::FormFields;
use crate::page::PageContext;
use fitness_core::domain::content_hash::ContentHash;
use fitness_core::domain::ids::PlanId;
use fitness_core::plan::HumanActionKind;
use fitness_store::Consent;
use fitness_store::plan::consent::{Channel, ConfirmationRequest};
use maud::{Markup, html};

/// The field with the signed request.
pub(crate) const CONFIRMATION_FIELD: &str = "question";

/// What a page asks its athlete to confirm. `shown` identifies what the page shows.
pub(crate) const fn web_request(
    kind: HumanActionKind,
    plan: Option<PlanId>,
    shown: ContentHash,
) -> ConfirmationRequest {
    ConfirmationRequest { kind, plan, content_hash: shown, channel: Channel::Web }
}

/// The hidden fields of a confirm form: the session's form token and the signed request.
pub(crate) fn hidden_fields(view: &PageContext, request: &ConfirmationRequest) -> Result<Markup, PageError> {
    view.require_confirmed()?;
    let signed = request.sign(view.current_user.confirmation_key(), view.user(), view.now);
    Ok(html! {
        (view.token_field())
        input type="hidden" name=(CONFIRMATION_FIELD) value=(signed);
    })
}

/// Turns a sent confirm form into a consent.
pub(crate) async fn redeem(
    view: &PageContext,
    request: &ConfirmationRequest,
    fields: &FormFields,
) -> Result<Consent, PageError> {
    if !view.current_user.is_confirmed {
        return Err(PageError::forbidden(
            "You signed in with a link, so please confirm it's you first. Nothing was changed. Open the page again to \
             confirm.",
        ));
    }
    let signed = fields.get(CONFIRMATION_FIELD).unwrap_or_default();
    let key = view.current_user.confirmation_key();
    #[expect(
        clippy::disallowed_methods,
        reason = "a signed-in person has just sent the form of the page that named what will happen"
    )]
    let consent = view.store().redeem_confirmation(view.user(), request, (key, signed), view.now).await?;
    Ok(consent)
}
