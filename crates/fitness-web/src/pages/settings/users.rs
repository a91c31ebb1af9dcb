//! `/settings/users`: accounts, invites and the shared API key. For the owner of the server.

use super::coach::{
    ProviderUse, budget_fields, error_field, initial_fields, key_hint, parse_budget, parse_settings,
    provider_fields,
};
use super::{Tab, copyable, invalid_form_page, page};
use crate::components::form::{InputOptions, SubmittedForm};
use crate::components::{core_message, time};
use crate::http::error::PageError;
use crate::http::extract::PathId;
use crate::http::form::{FieldErrors, FormFields};
use crate::http::response::see_other;
use crate::page::PageContext;
use crate::pages::setup::name_error_message;
use axum::response::Response;
use fitness_coach::settings::{CoachSettings, Provider, SharedKey};
use fitness_core::domain::athlete::Profile;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::UserId;
use fitness_core::domain::untrusted_text::escape_invisible;
use fitness_store::{INVITE_DAYS, SHARED_COACH_KEY_SETTING, User};
use maud::{Markup, html};

pub(crate) async fn show(view: PageContext) -> Result<Response, PageError> {
    let fields = initial_fields(&shared_key_settings(load_shared_key(&view).await?.as_ref()));
    let body = body(&view, &fields, &FieldErrors::default()).await?;
    Ok(page(&view, Tab::Users, &body))
}

/// `POST /settings/users`: adds a user and creates their invite. Only this response shows the link.
pub(crate) async fn create(view: PageContext, fields: FormFields) -> Result<Response, PageError> {
    require_confirmed(&view)?;
    let mut faults = FieldErrors::default();
    let name = fields.get_trimmed("name").unwrap_or_default();
    // The owner's time zone and units as defaults.
    let profile = Profile { zone: view.profile.zone, units: view.profile.units, ..Profile::default() };
    let added = match name {
        "" => Err("Enter a name.".to_owned()),
        name => view.store().add_user(name, &profile, view.now).await.map_err(name_error_message),
    };
    let Some(user) = faults.ok_or_add("name", added) else {
        let fields =
            initial_fields(&shared_key_settings(load_shared_key(&view).await?.as_ref())).with("name", name);
        let body = body(&view, &fields, &faults).await?;
        return Ok(invalid_form_page(&view, Tab::Users, &body));
    };
    invite_page(&view, &user).await
}

/// `POST /settings/users/{id}/invite`: a new invite for a user without a password.
pub(crate) async fn create_invite(
    view: PageContext,
    PathId(id): PathId<UserId>,
) -> Result<Response, PageError> {
    require_confirmed(&view)?;
    let user = view.store().user(id).await?;
    if user.has_password {
        // An invite would let the owner into a protected account; that needs a person at the
        // terminal.
        return Err(PageError::conflict(
            "This user already has a password. If they forgot it, run fitness user invite in a terminal on the server.",
        )
        .with_link("/settings/users", "Back"));
    }
    invite_page(&view, &user).await
}

/// `POST /settings/users/key`: shares a key or changes its limits.
pub(crate) async fn share_key(view: PageContext, fields: FormFields) -> Result<Response, PageError> {
    let mut faults = FieldErrors::default();
    let limits = parse_budget(&fields, &mut faults);
    let before = shared_key_settings(load_shared_key(&view).await?.as_ref());
    if let (Some((wanted, key)), Some((tokens, micros))) =
        (parse_settings(&fields, &before, &mut faults), limits)
    {
        let wanted = CoachSettings { tokens_a_day: tokens, micros_a_day: micros, ..wanted };
        if wanted.provider == Provider::BuiltIn {
            faults.add("provider", "The built-in coach needs no key. Choose another coach.");
        } else {
            match view.app.services.share_key(view.user(), Some(&wanted), key.as_ref()).await {
                Ok(()) => return Ok(see_other("/settings/users?done=saved")),
                Err(why) => faults.add(error_field(&wanted, &why), core_message::sentence(&why)),
            }
        }
    }
    let body = body(&view, &fields, &faults).await?;
    Ok(invalid_form_page(&view, Tab::Users, &body))
}

pub(crate) async fn stop_sharing_key(view: PageContext) -> Result<Response, PageError> {
    let ended = view.app.services.share_key(view.user(), None, None).await;
    ended.map_err(|why| PageError::conflict(core_message::sentence(&why)))?;
    Ok(see_other("/settings/users?done=deleted"))
}

/// An invite gives access to an account, so it needs a confirmed browser.
fn require_confirmed(view: &PageContext) -> Result<(), PageError> {
    if view.current_user.is_confirmed {
        Ok(())
    } else {
        Err(PageError::confirmation_required("/settings/users"))
    }
}

async fn invite_page(view: &PageContext, user: &User) -> Result<Response, PageError> {
    let code = view.store().create_invite(user.id, view.now).await?;
    let link = format!("{}/invite?code={}", view.app.base_url, code.reveal());
    let body = html! {
        section.card {
            h2 { "Invite for " (escape_invisible(&user.name)) }
            p { "Send " (escape_invisible(&user.name)) " this link privately. It works once and expires in " (INVITE_DAYS) " days. It won't be shown again." }
            (copyable("link", &link))
            p.actions { a.btn.primary href="/settings/users" { "Done" } }
        }
    };
    Ok(page(view, Tab::Users, &body))
}

async fn load_shared_key(view: &PageContext) -> Result<Option<SharedKey>, PageError> {
    let shared: Option<Option<SharedKey>> =
        view.store().find_setting(view.user(), SHARED_COACH_KEY_SETTING).await?;
    Ok(shared.flatten())
}

/// Initial values of the form.
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
    let filling = SubmittedForm { fields, errors: faults };
    Ok(html! {
        (filling.error_summary())
        section.card {
            h2 { "Accounts" }
            div.scroll tabindex="0" role="region" aria-label="Users, scrollable" { table {
                thead { tr { th scope="col" { "Name" } th scope="col" { "Since" } th scope="col" { "Password" } th scope="col" { span.hidden { "Invite" } } } }
                tbody {
                    @for user in &users {
                        tr {
                            th scope="row" { (escape_invisible(&user.name)) @if user.id == view.user() { " (you)" } }
                            td { (time::element(Day::at(user.created_at, view.profile.zone), view.today)) }
                            td { @if user.has_password { "set" } @else { "not set" } }
                            td { @if !user.has_password && user.id != view.user() { (view.post_button(&format!("/settings/users/{}/invite", user.id), "New invite", "small")) } }
                        }
                    }
                }
            } }
            h3 { "Invite someone" }
            p { "Each user, including you, sees only their own data." }
            form method="post" action="/settings/users" {
                (view.token_field())
                (filling.input("name", "Name", InputOptions { is_required: true, ..InputOptions::default() }))
                p.actions { button.primary type="submit" { "Create invite" } }
            }
        }
        section.card {
            h2 { "Shared API key" }
            @if let Some(shared) = &shared { p { "Your key for " (shared.provider) " is shared: " (shared.describe_allowance()) ". Users with their own key use that instead." } }
            @else { p { "Let everyone on this server use AI with your API key, with a daily limit per user. Nobody can see the key." } }
            form method="post" action="/settings/users/key" {
                (view.token_field())
                (provider_fields(view, &filling, ProviderUse::SharedKey, key_hint(shared.is_some())))
                (budget_fields(&filling))
                p.actions { button type="submit" { @if shared.is_some() { "Save" } @else { "Share key" } } }
            }
            @if shared.is_some() { (view.post_button("/settings/users/key/end", "Stop sharing", "danger")) }
        }
    })
}
