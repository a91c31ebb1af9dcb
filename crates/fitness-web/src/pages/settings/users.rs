//! `/settings/people`: for whoever runs this server. Who else has an account, and the key everybody may use.

use super::coach::{
    budget_fields, error_field, initial_fields, parse_budget, parse_settings, provider_fields,
};
use super::{Tab, copyable, invalid_form_page, page};
use crate::components::form::{FormState, InputOptions};
use crate::components::time;
use crate::http::error::{PageError, to_sentence};
use crate::http::extract::PathId;
use crate::http::form::{FieldErrors, FormFields};
use crate::http::response::see_other;
use crate::page::PageContext;
use crate::pages::setup::name_error_message;
use axum::response::Response;
use fitness_coach::settings::{CoachSettings, Provider, SHARED_SETTING_KEY, SharedKey};
use fitness_core::domain::athlete::Profile;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::UserId;
use fitness_core::domain::untrusted_text::escape_invisible;
use fitness_store::{INVITE_DAYS, User};
use maud::{Markup, html};

/// `GET /settings/people`
pub(crate) async fn show(view: PageContext) -> Result<Response, PageError> {
    let fields = initial_fields(&shared_key_settings(load_shared_key(&view).await?.as_ref()));
    let body = body(&view, &fields, &FieldErrors::default()).await?;
    Ok(page(&view, Tab::Users, &body))
}

/// `POST /settings/people`: adds somebody and makes their invite. The answer shows the link, once.
pub(crate) async fn create(view: PageContext, fields: FormFields) -> Result<Response, PageError> {
    require_confirmed(&view)?;
    let mut faults = FieldErrors::default();
    let name = fields.get_trimmed("name").unwrap_or_default();
    // Days and units as here, until they say otherwise.
    let profile = Profile { zone: view.profile.zone, units: view.profile.units, ..Profile::default() };
    let added = view.store().add_user(name, &profile, view.now).await.map_err(name_error_message);
    let Some(user) = faults.ok_or_add("name", added) else {
        let fields =
            initial_fields(&shared_key_settings(load_shared_key(&view).await?.as_ref())).with("name", name);
        let body = body(&view, &fields, &faults).await?;
        return Ok(invalid_form_page(&view, Tab::Users, &body));
    };
    invite_page(&view, &user).await
}

/// `POST /settings/people/{id}/invite`: another invite for somebody who has not come in yet.
pub(crate) async fn create_invite(
    view: PageContext,
    PathId(id): PathId<UserId>,
) -> Result<Response, PageError> {
    require_confirmed(&view)?;
    let user = view.store().user(id).await?;
    if user.has_password {
        // It would open an account that is closed; that takes whoever has it, or a person at the terminal.
        return Err(PageError::conflict(
            "They have a password. At the terminal `fitness user invite` replaces one that was forgotten.",
        )
        .with_link("/settings/people", "Back"));
    }
    invite_page(&view, &user).await
}

/// `POST /settings/people/key`: shares a key, changes how much each may use of it, or ends that.
pub(crate) async fn share_key(view: PageContext, fields: FormFields) -> Result<Response, PageError> {
    let mut faults = FieldErrors::default();
    let limits = parse_budget(&fields, &mut faults);
    let before = shared_key_settings(load_shared_key(&view).await?.as_ref());
    if let (Some((wanted, key)), Some((tokens, micros))) =
        (parse_settings(&fields, &before, &mut faults), limits)
    {
        let wanted = CoachSettings { tokens_a_day: tokens, micros_a_day: micros, ..wanted };
        if wanted.provider == Provider::BuiltIn {
            faults.add("provider", "Rules need no key; choose whose key it is.");
        } else {
            match view.app.services.share_key(view.user(), Some(&wanted), key.as_ref()).await {
                Ok(()) => return Ok(see_other("/settings/people?done=saved")),
                Err(why) => faults.add(error_field(&wanted, &why), to_sentence(&why)),
            }
        }
    }
    let body = body(&view, &fields, &faults).await?;
    Ok(invalid_form_page(&view, Tab::Users, &body))
}

/// `POST /settings/people/key/end`
pub(crate) async fn stop_sharing_key(view: PageContext) -> Result<Response, PageError> {
    let ended = view.app.services.share_key(view.user(), None, None).await;
    ended.map_err(|why| PageError::conflict(to_sentence(&why)))?;
    Ok(see_other("/settings/people?done=deleted"))
}

/// An invite opens an account: only a browser that may decide makes one.
fn require_confirmed(view: &PageContext) -> Result<(), PageError> {
    if view.current_user.is_confirmed {
        Ok(())
    } else {
        Err(PageError::confirmation_required("/settings/people"))
    }
}

async fn invite_page(view: &PageContext, user: &User) -> Result<Response, PageError> {
    let code = view.store().create_invite(user.id, view.now).await?;
    let link = format!("{}/invite?code={}", view.app.base_url, code.reveal());
    let body = html! {
        section.card {
            h2 { "An invite for " (escape_invisible(&user.name)) }
            p { "It sets a password once, within " (INVITE_DAYS) " days, and signs in. Send it the way you would send a key; it is shown this once." }
            (copyable("link", &link))
            p.actions { a.btn.primary href="/settings/people" { "Done" } }
        }
    };
    Ok(page(view, Tab::Users, &body))
}

async fn load_shared_key(view: &PageContext) -> Result<Option<SharedKey>, PageError> {
    let shared: Option<Option<SharedKey>> =
        view.store().find_setting(view.user(), SHARED_SETTING_KEY).await?;
    Ok(shared.flatten())
}

/// What is shared, as the form of a choice begins.
fn shared_key_settings(shared: Option<&SharedKey>) -> CoachSettings {
    let usual = CoachSettings { provider: Provider::Anthropic, ..CoachSettings::default() };
    shared.map_or(usual, |shared| CoachSettings {
        provider: shared.provider,
        model: None,
        address: shared.address.clone(),
        tokens_a_day: shared.tokens_a_day,
        micros_a_day: shared.micros_a_day,
        ..CoachSettings::default()
    })
}

async fn body(view: &PageContext, fields: &FormFields, faults: &FieldErrors) -> Result<Markup, PageError> {
    let users = view.store().list_users().await?;
    let shared = load_shared_key(view).await?;
    let filling = FormState { fields, errors: faults };
    Ok(html! {
        (filling.error_summary())
        section.card {
            h2 { "Who has an account" }
            div.scroll tabindex="0" role="region" aria-label="People, which may be wider than the screen" { table {
                thead { tr { th scope="col" { "Name" } th scope="col" { "Since" } th scope="col" { "Password" } th scope="col" { span.hidden { "Invite" } } } }
                tbody {
                    @for user in &users {
                        tr {
                            th scope="row" { (escape_invisible(&user.name)) @if user.id == view.user() { " (you)" } }
                            td { (time::element(Day::at(user.created_at, view.profile.zone), view.today)) }
                            td { @if user.has_password { "set" } @else { "not set" } }
                            td { @if !user.has_password && user.id != view.user() { (view.post_button(&format!("/settings/people/{}/invite", user.id), "New invite", "small")) } }
                        }
                    }
                }
            } }
            h3 { "Invite somebody" }
            p { "They see their own data and nobody else's, and so do you." }
            form method="post" action="/settings/people" {
                (view.token_field())
                (filling.input("name", "Their name", InputOptions { is_required: true, ..InputOptions::default() }))
                p.actions { button.primary type="submit" { "Make an invite" } }
            }
        }
        section.card {
            h2 { "A key for everybody" }
            @if let Some(shared) = &shared { p { "Your key for " (shared.provider) " is shared: " (shared.describe_allowance()) ". Whoever has a key of their own uses that." } }
            @else { p { "Let everybody here ask a model with your key, with a limit for each. Nobody sees it." } }
            form method="post" action="/settings/people/key" {
                (view.token_field())
                (provider_fields(view, &filling, "Never shown again; empty keeps the one that is shared."))
                (budget_fields(&filling))
                p.actions { button type="submit" { @if shared.is_some() { "Change" } @else { "Share it" } } }
            }
            @if shared.is_some() { (view.post_button("/settings/people/key/end", "Stop sharing", "danger")) }
        }
    })
}
