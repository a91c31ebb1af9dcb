//! `/settings/account`: version, export, account deletion.

use super::security::{CURRENT_PASSWORD_FIELD, check_current_password, current_password_field};
use super::{Tab, invalid_form_page, page};
use crate::auth::confirmation::{hidden_fields, redeem, web_request};
use crate::auth::session;
use crate::components::form::{InputOptions, SubmittedForm};
use crate::components::time;
use crate::http::error::PageError;
use crate::http::form::{FieldErrors, FormFields};
use crate::http::response;
use crate::page::{self, PageContext};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use fitness_core::domain::content_hash::ContentHash;
use fitness_core::domain::untrusted_text::{escape_invisible, pluralize};
use fitness_core::plan::HumanActionKind;
use fitness_ingest::export;
use fitness_store::plan::consent::ConfirmationRequest;
use fitness_store::{RemainingUserData, User};
use maud::{Markup, html};

pub(crate) async fn show(view: PageContext) -> Result<Response, PageError> {
    let (engine, version) = view.store().engine().await?;
    let body = html! {
        section.card {
            h2 { "About" }
            dl.facts {
                dt { "local-fitness" } dd { (env!("CARGO_PKG_VERSION")) }
                dt { "Database" } dd { (if engine == "postgres" { "PostgreSQL" } else { "SQLite" }) " " (version) }
                @if view.current_user.is_owner { dt { "Location" } dd { code { (view.store().location().to_string()) } } }
                dt { "Licence" } dd { "MIT" }
            }
        }
        section.card #export {
            h2 { "Export" }
            p { "One ZIP with your original files; activities, days and recordings as CSV; plans, notes and conversations as text; and a complete copy as JSON. Restore it with " code { "fitness restore --from-export FILE" } ". Passwords, API tokens and service keys are not included." }
            (export_form(&view, &FormFields::default(), &FieldErrors::default()).await?)
        }
        section.card {
            h2 { "Delete account" }
            p { "Deletes your account with everything in it: activities, plans, notes, conversations and keys. This can't be undone." }
            p.actions { a.btn.danger href="/settings/account/delete" { "Delete my account…" } }
        }
    };
    Ok(page(&view, Tab::Account, &body))
}

async fn export_form(
    view: &PageContext,
    fields: &FormFields,
    faults: &FieldErrors,
) -> Result<Markup, PageError> {
    let filling = SubmittedForm { fields, errors: faults };
    Ok(html! {
        (filling.input_error_summary())
        form method="post" action="/settings/account/export" {
            (view.token_field())
            (current_password_field(view, &filling, CURRENT_PASSWORD_FIELD, "Your password").await?)
            p.actions { button type="submit" { "Export everything" } }
        }
    })
}

/// `POST /settings/account/export`: the user's data as a ZIP.
pub(crate) async fn export(view: PageContext, fields: FormFields) -> Result<Response, PageError> {
    let mut faults = FieldErrors::default();
    check_current_password(&view, &fields, CURRENT_PASSWORD_FIELD, &mut faults).await?;
    if faults.has_any() {
        let body = html! { section.card { h2 { "Export" } (export_form(&view, &fields, &faults).await?) } };
        return Ok(invalid_form_page(&view, Tab::Account, &body));
    }
    let _permit = view.app.state.begin_export(view.user()).ok_or_else(|| {
        PageError::new(StatusCode::TOO_MANY_REQUESTS, "Other exports are running. Try again in a minute.")
            .with_link("/settings/account", "Back")
    })?;
    // To a file first: it may not fit in memory, and a failure must not produce half a ZIP.
    let file = tempfile::tempfile().map_err(|why| PageError::internal(&why))?;
    let written = export::export(view.store(), view.user(), file, view.now).await?;
    let name = export::file_name(&view.name, view.today);
    response::large_download(&name, "application/zip", written.0)
}

/// `GET /settings/account/delete`: the confirmation page.
pub(crate) async fn confirm_delete(view: PageContext) -> Result<Response, PageError> {
    let body = delete_page(&view, &FormFields::default(), &FieldErrors::default()).await?;
    Ok(page(&view, Tab::Account, &body))
}

pub(crate) async fn delete(view: PageContext, fields: FormFields) -> Result<Response, PageError> {
    let mut faults = FieldErrors::default();
    // Compare with the escaped name, so that a name with invisible characters can be typed.
    if fields.get_trimmed("name") != Some(escape_invisible(&view.name).to_string().trim()) {
        faults.add("name", "That doesn't match your name as shown above.");
    }
    check_current_password(&view, &fields, CURRENT_PASSWORD_FIELD, &mut faults).await?;
    let candidates = possible_owners(&view).await?;
    let named = fields.get_trimmed(NEW_OWNER).unwrap_or_default();
    let new_owner = candidates.iter().find(|user| user.id.to_string() == named).map(|user| user.id);
    if !candidates.is_empty() && new_owner.is_none() {
        faults.add(NEW_OWNER, "Choose the new owner of this server.");
    }
    if faults.has_any() {
        let body = delete_page(&view, &fields, &faults).await?;
        return Ok(invalid_form_page(&view, Tab::Account, &body));
    }
    let consent = redeem(&view, &request(&view), &fields).await?;
    let RemainingUserData { backup_references: remains, vacuum_pending } =
        view.store().remove_user(consent, new_owner).await?;
    let body = html! {
        section.card {
            h1 { "Account deleted" }
            p { "Your account and everything in it was deleted." }
            @if vacuum_pending {
                p { "Traces may remain in the database file for a few minutes." }
            }
            @if !remains.is_empty() {
                p {
                    "It is still in " (pluralize(remains.len() as u64, "backup", "backups")) " of this server. Ask the owner to delete them."
                }
            }
        }
    };
    let headers = [(header::SET_COOKIE, session::clear_cookie(&view.app))];
    Ok((StatusCode::OK, headers, page::bare_page("Account deleted", &body)).into_response())
}

/// Form field with the id of the next owner.
const NEW_OWNER: &str = "new_owner";

/// The other users if the owner of the server deletes their account; else empty.
async fn possible_owners(view: &PageContext) -> Result<Vec<User>, PageError> {
    if !view.current_user.is_owner {
        return Ok(Vec::new());
    }
    let mut users = view.store().list_users().await?;
    users.retain(|user| user.id != view.user());
    Ok(users)
}

fn request(view: &PageContext) -> ConfirmationRequest {
    let seen = ContentHash::hash_json(&("delete user", view.user(), &view.name));
    web_request(HumanActionKind::DeleteUser, None, seen)
}

fn delete_error_summary(faults: &FieldErrors) -> Markup {
    html! {
        @if faults.has_any() {
            div.faults role="alert" {
                p { strong { "Nothing was deleted." } " Please check:" }
                ul { @for (field, sentence) in faults.iter() { li { a href={ "#" (field) } { (sentence) } } } }
            }
        }
    }
}

async fn delete_page(
    view: &PageContext,
    fields: &FormFields,
    faults: &FieldErrors,
) -> Result<Markup, PageError> {
    let filling = SubmittedForm { fields, errors: faults };
    let (activities, span) = view.store().count_activities(view.user()).await?;
    let plans = view.store().list_plans(view.user()).await?.len();
    let hidden = hidden_fields(view, &request(view))?;
    let candidates = possible_owners(view).await?;
    let ids: Vec<(String, String)> = candidates
        .iter()
        .map(|user| (user.id.to_string(), escape_invisible(&user.name).to_string()))
        .collect();
    let mut choices = vec![("", "Choose a user")];
    choices.extend(ids.iter().map(|(id, name)| (id.as_str(), name.as_str())));
    Ok(html! {
        section.card {
            h2 { "Delete " (escape_invisible(&view.name)) "'s account?" }
            p {
                "This deletes " (pluralize(activities, "activity", "activities"))
                @if let Some((first, last)) = span { " (" (time::element(first, view.today)) " to " (time::element(last, view.today)) ")" }
                ", " (pluralize(plans as u64, "plan", "plans")) " and all notes, briefs, conversations, keys and tokens. It can't be undone."
            }
            (delete_error_summary(faults))
            form method="post" action="/settings/account/delete" {
                (hidden)
                p.actions { a.btn.primary href="/settings/account" { "Keep my account" } }
                (filling.input("name", "Type your name to confirm", InputOptions { is_required: true, ..InputOptions::default() }))
                (current_password_field(view, &filling, CURRENT_PASSWORD_FIELD, "Your password").await?)
                @if !candidates.is_empty() {
                    (filling.select(NEW_OWNER, "New owner of this server", "The owner can invite users and share an API key with them.", &choices))
                }
                p.actions { button.danger type="submit" { "Delete my account" } }
            }
        }
    })
}
