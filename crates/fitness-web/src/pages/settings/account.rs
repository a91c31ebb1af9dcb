//! `/settings/account`: what runs here, and leaving for good.

use super::security::{CURRENT_PASSWORD_FIELD, check_current_password, current_password_field};
use super::{Tab, invalid_form_page, page};
use crate::auth::confirmation::Decision;
use crate::auth::session;
use crate::components::form::{FormState, InputOptions};
use crate::http::error::PageError;
use crate::http::form::{FieldErrors, FormFields};
use crate::http::response;
use crate::page::{self, PageContext};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use fitness_core::domain::content_hash::ContentHash;
use fitness_core::domain::untrusted_text::{escape_invisible, pluralize};
use fitness_core::plan::ActionKind;
use fitness_ingest::export;
use fitness_store::{User, UserRemoval};
use maud::{Markup, html};

/// `GET /settings/account`
pub(crate) async fn show(view: PageContext) -> Result<Response, PageError> {
    let (engine, version) = view.store().engine().await?;
    let migrations = view.store().migrations().await?;
    let body = html! {
        section.card {
            h2 { "About" }
            dl.facts {
                dt { "local-fitness" } dd { (env!("CARGO_PKG_VERSION")) }
                dt { "Database" } dd { (engine) " " (version) }
                dt { "Its form" } dd { (migrations.last().map_or("—", String::as_str)) }
                @if view.current_user.is_owner { dt { "Where it is" } dd { code { (view.store().location().to_string()) } } }
                dt { "Licence" } dd { "MIT" }
            }
        }
        section.card #export {
            h2 { "Take everything along" }
            p { "One ZIP: your files as you imported them, activities, days and recordings as CSV, plans, notes and conversations as text, and every row as JSON. " code { "fitness import-all" } " makes a database of it. Passwords, tokens and keys of services are not in it." }
            (export_form(&view, &FormFields::default(), &FieldErrors::default()).await?)
        }
        section.card {
            h2 { "Leave" }
            p { "Removes your account with everything in it: activities, plans, notes, conversations, keys. Nothing of it can be brought back." }
            p.actions { a.btn.danger href="/settings/account/delete" { "Delete my account …" } }
        }
    };
    Ok(page(&view, Tab::Account, &body))
}

async fn export_form(
    view: &PageContext,
    fields: &FormFields,
    faults: &FieldErrors,
) -> Result<Markup, PageError> {
    let filling = FormState { fields, errors: faults };
    Ok(html! {
        (filling.error_summary())
        form method="post" action="/settings/account/export" {
            (view.token_field())
            (current_password_field(view, &filling, CURRENT_PASSWORD_FIELD, "Your password").await?)
            p.actions { button type="submit" { "Export everything" } }
        }
    })
}

/// `POST /settings/account/export`: everything of the athlete's, as a file.
pub(crate) async fn export(view: PageContext, fields: FormFields) -> Result<Response, PageError> {
    let mut faults = FieldErrors::default();
    check_current_password(&view, &fields, CURRENT_PASSWORD_FIELD, &mut faults).await?;
    if faults.has_any() {
        let body = html! { section.card { h2 { "Take everything along" } (export_form(&view, &fields, &faults).await?) } };
        return Ok(invalid_form_page(&view, Tab::Account, &body));
    }
    let _permit = view.app.state.begin_export(view.user()).ok_or_else(|| {
        PageError::new(
            StatusCode::TOO_MANY_REQUESTS,
            "This server makes at most two exports at once, and one for each athlete; wait a minute and try again. Nothing was \
             changed.",
        )
        .with_link("/settings/account", "Back")
    })?;
    // To a file first: it may be larger than memory, and half of it is of use to nobody.
    let file = tempfile::tempfile().map_err(|why| PageError::internal(&why))?;
    let written = export::export(view.store(), view.user(), file, view.now).await?;
    let name = export::file_name(&view.name, view.today);
    response::large_download(&name, "application/zip", written.0)
}

/// `GET /settings/account/delete`: names what happens and asks.
pub(crate) async fn confirm_delete(view: PageContext) -> Result<Response, PageError> {
    let body = delete_page(&view, &FormFields::default(), &FieldErrors::default()).await?;
    Ok(page(&view, Tab::Account, &body))
}

/// `POST /settings/account/delete`
pub(crate) async fn delete(view: PageContext, fields: FormFields) -> Result<Response, PageError> {
    let mut faults = FieldErrors::default();
    // What is compared is what was shown, so that a name with invisible characters can be typed at all.
    if fields.get_trimmed("name") != Some(escape_invisible(&view.name).to_string().trim()) {
        faults.add("name", "That is not your name as it is shown above.");
    }
    check_current_password(&view, &fields, CURRENT_PASSWORD_FIELD, &mut faults).await?;
    let candidates = possible_owners(&view).await?;
    let named = fields.get_trimmed(NEW_OWNER).unwrap_or_default();
    let new_owner = candidates.iter().find(|user| user.id.to_string() == named).map(|user| user.id);
    if !candidates.is_empty() && new_owner.is_none() {
        faults.add(NEW_OWNER, "Choose who owns this server from now on.");
    }
    if faults.has_any() {
        let body = delete_page(&view, &fields, &faults).await?;
        return Ok(invalid_form_page(&view, Tab::Account, &body));
    }
    let consent = decision(&view).verify_confirmation(&view, &fields).await?;
    let UserRemoval { backup_references: remains, vacuum_pending } =
        view.store().remove_user(consent, new_owner).await?;
    let body = html! {
        section.card {
            h1 { "Gone" }
            p { "Your account and everything in it was removed." }
            @if vacuum_pending {
                p { "Free pages of the database file may still hold some of it; this server rewrites the file by itself, within minutes or when it starts again." }
            }
            @if !remains.is_empty() {
                p {
                    "It is still in " (pluralize(remains.len() as u64, "backup", "backups")) " of this server; ask whoever runs it about them."
                }
            }
        }
    };
    let headers = [(header::SET_COOKIE, session::clear_cookie(&view.app))];
    Ok((StatusCode::OK, headers, page::bare_page("Gone", &body)).into_response())
}

/// The field with the user who owns the server from now on.
const NEW_OWNER: &str = "new_owner";

/// Everybody else, where the owner of the server leaves; nobody where it is not theirs.
async fn possible_owners(view: &PageContext) -> Result<Vec<User>, PageError> {
    if !view.current_user.is_owner {
        return Ok(Vec::new());
    }
    let mut users = view.store().list_users().await?;
    users.retain(|user| user.id != view.user());
    Ok(users)
}

fn decision(view: &PageContext) -> Decision {
    let seen = ContentHash::hash_json(&("delete user", view.user(), &view.name));
    Decision { kind: ActionKind::DeleteUser, plan: None, shown_hash: seen }
}

async fn delete_page(
    view: &PageContext,
    fields: &FormFields,
    faults: &FieldErrors,
) -> Result<Markup, PageError> {
    let filling = FormState { fields, errors: faults };
    let (activities, span) = view.store().count_activities(view.user()).await?;
    let plans = view.store().list_plans(view.user()).await?.len();
    let hidden = decision(view).request_confirmation(view).await?;
    let candidates = possible_owners(view).await?;
    let ids: Vec<(String, String)> = candidates
        .iter()
        .map(|user| (user.id.to_string(), escape_invisible(&user.name).to_string()))
        .collect();
    let mut choices = vec![("", "Choose a user")];
    choices.extend(ids.iter().map(|(id, name)| (id.as_str(), name.as_str())));
    Ok(html! {
        section.card {
            h2 { "Delete the account of " (escape_invisible(&view.name)) "?" }
            p {
                "Gone for good: " (activities) " activities" @if let Some((first, last)) = span { " from " (first) " to " (last) }
                ", " (plans) " plans with their verdicts, every note, brief, conversation, key and token."
            }
            (filling.error_summary())
            form method="post" action="/settings/account/delete" {
                (hidden)
                p.actions { a.btn.primary href="/settings/account" { "Keep my account" } }
                (filling.input("name", "Type your name to delete it", InputOptions { is_required: true, ..InputOptions::default() }))
                (current_password_field(view, &filling, CURRENT_PASSWORD_FIELD, "Your password").await?)
                @if !candidates.is_empty() {
                    (filling.select(NEW_OWNER, "Who owns this server from now on?", "The owner invites people and may share a key with them.", &choices))
                }
                p.actions { button.danger type="submit" { "Delete my account and everything in it" } }
            }
        }
    })
}
