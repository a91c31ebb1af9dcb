//! `/settings/people`: for whoever runs this server. Who else has an account, and the key everybody may use.

use super::coach::{faulty, filled, limit_fields, read, read_limits, who_fields};
use super::{Tab, again, copyable, page};
use crate::components::form::{Filling, Line};
use crate::components::time;
use crate::http::error::{Problem, sentence};
use crate::http::extract::Numbered;
use crate::http::form::{Faults, Fields};
use crate::http::response::see_other;
use crate::page::View;
use crate::pages::setup::told;
use axum::response::Response;
use fitness_coach::settings::{Chosen, Provider, Shared};
use fitness_core::domain::athlete::Profile;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::UserId;
use fitness_core::domain::untrusted_text::visible;
use fitness_store::{INVITE_DAYS, SHARED_COACH_KEY_SETTING, User};
use maud::{Markup, html};

/// `GET /settings/people`
pub(crate) async fn show(view: View) -> Result<Response, Problem> {
    let fields = filled(&terms(shared(&view).await?.as_ref()));
    let body = body(&view, &fields, &Faults::default()).await?;
    Ok(page(&view, Tab::People, &body))
}

/// `POST /settings/people`: adds somebody and makes their invite. The answer shows the link, once.
pub(crate) async fn invite(view: View, fields: Fields) -> Result<Response, Problem> {
    require_confirmed(&view)?;
    let mut faults = Faults::default();
    let name = fields.text("name").unwrap_or_default();
    // Days and units as here, until they say otherwise.
    let profile = Profile { zone: view.profile.zone, units: view.profile.units, ..Profile::default() };
    let added = view.store().add_user(name, &profile, view.now).await.map_err(told);
    let Some(user) = faults.take("name", added) else {
        let fields = filled(&terms(shared(&view).await?.as_ref())).with("name", name);
        let body = body(&view, &fields, &faults).await?;
        return Ok(again(&view, Tab::People, &body));
    };
    invited(&view, &user).await
}

/// `POST /settings/people/{id}/invite`: another invite for somebody who has not come in yet.
pub(crate) async fn invite_again(view: View, Numbered(id): Numbered<UserId>) -> Result<Response, Problem> {
    require_confirmed(&view)?;
    let user = view.store().user(id).await?;
    if user.has_password {
        // It would open an account that is closed; that takes whoever has it, or a person at the terminal.
        return Err(Problem::conflict(
            "They have a password. At the terminal `fitness user invite` replaces one that was forgotten.",
        )
        .go_on("/settings/people", "Back"));
    }
    invited(&view, &user).await
}

/// `POST /settings/people/key`: shares a key, changes how much each may use of it, or ends that.
pub(crate) async fn share(view: View, fields: Fields) -> Result<Response, Problem> {
    let mut faults = Faults::default();
    let limits = read_limits(&fields, &mut faults);
    let before = terms(shared(&view).await?.as_ref());
    if let (Some((wanted, key)), Some((tokens, micros))) = (read(&fields, &before, &mut faults), limits) {
        let wanted = Chosen { tokens_a_day: tokens, micros_a_day: micros, ..wanted };
        if wanted.provider == Provider::BuiltIn {
            faults.add("provider", "Rules need no key; choose whose key it is.");
        } else {
            match view.app.outside.share_key(view.user(), Some(&wanted), key.as_ref()).await {
                Ok(()) => return Ok(see_other("/settings/people?done=saved")),
                Err(why) => faults.add(faulty(&wanted, &why), sentence(&why)),
            }
        }
    }
    let body = body(&view, &fields, &faults).await?;
    Ok(again(&view, Tab::People, &body))
}

/// `POST /settings/people/key/end`
pub(crate) async fn end_sharing(view: View) -> Result<Response, Problem> {
    let ended = view.app.outside.share_key(view.user(), None, None).await;
    ended.map_err(|why| Problem::conflict(sentence(&why)))?;
    Ok(see_other("/settings/people?done=deleted"))
}

/// An invite opens an account: only a browser that may decide makes one.
fn require_confirmed(view: &View) -> Result<(), Problem> {
    if view.seat.may_decide { Ok(()) } else { Err(Problem::confirm_first("/settings/people")) }
}

async fn invited(view: &View, user: &User) -> Result<Response, Problem> {
    let code = view.store().invite(user.id, view.now).await?;
    let link = format!("{}/invite?code={}", view.app.site, code.reveal());
    let body = html! {
        section.card {
            h2 { "An invite for " (visible(&user.name)) }
            p { "It sets a password once, within " (INVITE_DAYS) " days, and signs in. Send it the way you would send a key; it is shown this once." }
            (copyable("link", &link))
            p.actions { a.btn.primary href="/settings/people" { "Done" } }
        }
    };
    Ok(page(view, Tab::People, &body))
}

async fn shared(view: &View) -> Result<Option<Shared>, Problem> {
    let shared: Option<Option<Shared>> =
        view.store().find_setting(view.user(), SHARED_COACH_KEY_SETTING).await?;
    Ok(shared.flatten())
}

/// What is shared, as the form of a choice begins.
fn terms(shared: Option<&Shared>) -> Chosen {
    let usual = Chosen { provider: Provider::Anthropic, ..Chosen::default() };
    shared.map_or(usual, |shared| Chosen {
        provider: shared.provider,
        model: None,
        address: shared.address.clone(),
        tokens_a_day: shared.tokens_a_day,
        micros_a_day: shared.micros_a_day,
        ..Chosen::default()
    })
}

async fn body(view: &View, fields: &Fields, faults: &Faults) -> Result<Markup, Problem> {
    let users = view.store().list_users().await?;
    let shared = shared(view).await?;
    let filling = Filling { fields, faults };
    Ok(html! {
        (filling.summary())
        section.card {
            h2 { "Who has an account" }
            div.scroll tabindex="0" role="region" aria-label="People, which may be wider than the screen" { table {
                thead { tr { th scope="col" { "Name" } th scope="col" { "Since" } th scope="col" { "Password" } th scope="col" { span.hidden { "Invite" } } } }
                tbody {
                    @for user in &users {
                        tr {
                            th scope="row" { (visible(&user.name)) @if user.id == view.user() { " (you)" } }
                            td { (time::element(Day::at(user.created_at, view.profile.zone), view.today)) }
                            td { @if user.has_password { "set" } @else { "not set" } }
                            td { @if !user.has_password && user.id != view.user() { (view.button(&format!("/settings/people/{}/invite", user.id), "New invite", "small")) } }
                        }
                    }
                }
            } }
            h3 { "Invite somebody" }
            p { "They see their own data and nobody else's, and so do you." }
            form method="post" action="/settings/people" {
                (view.token_field())
                (filling.line("name", "Their name", Line { required: true, ..Line::default() }))
                p.actions { button.primary type="submit" { "Make an invite" } }
            }
        }
        section.card {
            h2 { "A key for everybody" }
            @if let Some(shared) = &shared { p { "Your key for " (shared.provider) " is shared: " (shared.allows()) ". Whoever has a key of their own uses that." } }
            @else { p { "Let everybody here ask a model with your key, with a limit for each. Nobody sees it." } }
            form method="post" action="/settings/people/key" {
                (view.token_field())
                (who_fields(view, &filling, "Never shown again; empty keeps the one that is shared."))
                (limit_fields(&filling))
                p.actions { button type="submit" { @if shared.is_some() { "Change" } @else { "Share it" } } }
            }
            @if shared.is_some() { (view.button("/settings/people/key/end", "Stop sharing", "danger")) }
        }
    })
}
