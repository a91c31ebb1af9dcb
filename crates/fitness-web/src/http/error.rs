//! What went wrong, as a page: what happened, what is safe, what to do.

use crate::app::App;
use crate::auth::session;
use crate::http::host_check;
use crate::http::rate_limit::RETRY_AFTER_SECONDS;
use crate::http::response::see_other;
use crate::page::{self, PageContext};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use fitness_core::domain::content_hash::ContentHash;
use fitness_core::domain::untrusted_text::escape_and_truncate;
use fitness_store::Error;
use maud::{Markup, html};
use std::fmt::Display;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Something that cannot be shown or done, and why.
#[derive(Debug)]
pub(crate) struct PageError {
    status: StatusCode,
    /// What happened, as a sentence.
    message: String,
    /// Where to go on, and what that is called.
    next_link: (String, String),
    /// After how many seconds to try again, where it was too often.
    retry_after: u16,
}

impl PageError {
    /// What happened, as a sentence.
    pub(crate) fn new(status: StatusCode, said: impl Into<String>) -> Self {
        let next_link = ("/".to_owned(), "Go to Today".to_owned());
        Self {
            status,
            message: escape_and_truncate(&said.into()),
            next_link,
            retry_after: RETRY_AFTER_SECONDS,
        }
    }

    /// Where to go on instead of Today.
    pub(crate) fn with_link(mut self, to: impl Into<String>, called: impl Into<String>) -> Self {
        self.next_link = (to.into(), called.into());
        self
    }

    /// There is no such thing; or it is somebody else's, which is not told apart.
    pub(crate) fn not_found() -> Self {
        Self::new(
            StatusCode::NOT_FOUND,
            "There is nothing here. It may have been deleted, or the address is wrong.",
        )
    }

    /// More than a form may hold.
    pub(crate) fn payload_too_large() -> Self {
        Self::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "That is more than a form may hold, 256 kB in all and 64 kB in one field. Nothing was saved. What you wrote is still \
             on the page before: go back, shorten it, and send it again. Files are brought in under Sources.",
        )
        .with_link("/sources", "Bring in files")
    }

    /// The body of the request did not arrive in time.
    pub(crate) fn request_timeout() -> Self {
        Self::new(
            StatusCode::REQUEST_TIMEOUT,
            "Your form arrived too slowly. Nothing was saved; go back and send it again.",
        )
    }

    /// The same, to be tried again after so many seconds.
    pub(crate) fn with_retry_after(mut self, seconds: u16) -> Self {
        self.retry_after = seconds;
        self
    }

    /// What is said about it, for whoever says it in another form.
    pub(crate) fn status_and_message(&self) -> (StatusCode, &str) {
        (self.status, &self.message)
    }

    /// The same as a line of plain text, for a program.
    pub(crate) fn plain_text_response(&self) -> Response {
        let mut response = host_check::plain_text_error(self.status, &self.message);
        self.insert_retry_after(response.headers_mut());
        response
    }

    /// Says when to try again, where it was too often.
    pub(crate) fn insert_retry_after(&self, headers: &mut HeaderMap) {
        if self.status == StatusCode::TOO_MANY_REQUESTS {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(self.retry_after));
        }
    }

    /// On to the page on which this browser is confirmed, and from there to where it wanted to go.
    pub(crate) fn confirmation_required(to: &str) -> Self {
        let to: String = form_urlencoded::byte_serialize(to.as_bytes()).collect();
        Self::new(StatusCode::SEE_OTHER, "Confirm it's you first.")
            .with_link(format!("/confirm?to={to}"), "Confirm it's you")
    }

    /// May not be done this way.
    pub(crate) fn forbidden(said: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, said)
    }

    /// Does not fit what is there now.
    pub(crate) fn conflict(said: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, said)
    }

    /// Our own fault. What it was is noted under a number; the page says only the number.
    pub(crate) fn internal(why: &dyn Display) -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let seed = format!("{}-{count}-{why}", std::process::id());
        let id: String = ContentHash::hash_bytes(seed.as_bytes()).to_string().chars().take(8).collect();
        tracing::error!(id, %why, "a request could not be answered");
        let said = format!(
            "Something went wrong on this server, and it is not your doing. Nothing was changed. It is noted there as {id}."
        );
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, said)
    }
}

impl From<Error> for PageError {
    fn from(error: Error) -> Self {
        match error {
            Error::NotFound(_) => Self::not_found(),
            Error::Disk(why) => {
                tracing::error!(why, "database write failed");
                Self::new(
                    StatusCode::INSUFFICIENT_STORAGE,
                    "The server cannot write to its disk: it is full or failing. Nothing was saved. Whoever runs the server must make room.",
                )
            }
            Error::Busy | Error::NoConnection | Error::Unreachable(..) => Self::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "The database is busy or does not answer. Nothing was changed; try again in a moment.",
            ),
            Error::AlreadyActive { .. }
            | Error::NothingToReplace
            | Error::Stale
            | Error::ProposalClosed { .. }
            | Error::NotConfirmed(_) => Self::conflict(to_sentence(&error)),
            Error::Database(_) | Error::Unreadable(_) | Error::Damaged(..) => Self::internal(&error),
            other => Self::new(StatusCode::UNPROCESSABLE_ENTITY, to_sentence(&other)),
        }
    }
}

impl From<fitness_ingest::Error> for PageError {
    fn from(error: fitness_ingest::Error) -> Self {
        Self::internal(&error)
    }
}

/// `the plan changed` as a sentence.
pub(crate) fn to_sentence(error: &impl Display) -> String {
    let text = error.to_string();
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
    let end = if text.ends_with(['.', '!', '?']) { "" } else { "." };
    format!("{first}{}{end}", letters.as_str())
}

impl PageError {
    /// What its page is called, and what is on it.
    fn render(&self) -> (&'static str, Markup) {
        let title = match self.status {
            StatusCode::NOT_FOUND => "Not here",
            StatusCode::CONFLICT => "Not as it was",
            status if status.is_server_error() => "That did not work",
            _ => "Not like this",
        };
        let (to, called) = &self.next_link;
        let body = html! {
            section.card {
                h1 { (title) }
                p { (self.message) }
                p.actions { a.btn.primary href=(to) { (called) } }
            }
        };
        (title, body)
    }

    fn finish_response(&self, mut response: Response) -> Response {
        *response.status_mut() = self.status;
        response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        self.insert_retry_after(response.headers_mut());
        response
    }
}

/// A problem that became a page on its own, for whoever can put the app around it.
#[derive(Debug, Clone)]
struct BareErrorPage(Arc<PageError>);

impl IntoResponse for PageError {
    fn into_response(self) -> Response {
        if self.status == StatusCode::SEE_OTHER {
            return see_other(&self.next_link.0);
        }
        let (title, body) = self.render();
        let mut response = self.finish_response(page::bare_page(title, &body).into_response());
        response.extensions_mut().insert(BareErrorPage(Arc::new(self)));
        response
    }
}

/// Puts the way around the app and the line of how far the data reaches on the page of a problem, for whoever is signed in.
/// Where that cannot be found out the page stays as it is, and so it does while the database does not answer and for what is
/// refused outright: nobody makes this server work by forging forms or asking too often.
pub(crate) async fn wrap_error_page(State(app): State<App>, request: Request, next: Next) -> Response {
    let of_program = request.headers().contains_key(header::AUTHORIZATION);
    let mut cookies = HeaderMap::new();
    for cookie in request.headers().get_all(header::COOKIE) {
        cookies.append(header::COOKIE, cookie.clone());
    }
    let response = next.run(request).await;
    let Some(BareErrorPage(problem)) = response.extensions().get().cloned() else { return response };
    if problem.status == StatusCode::INSUFFICIENT_STORAGE {
        app.state.health.write_failed();
    }
    let bare = [StatusCode::TOO_MANY_REQUESTS, StatusCode::FORBIDDEN, StatusCode::SERVICE_UNAVAILABLE];
    if of_program || bare.contains(&problem.status) {
        return response;
    }
    render_in_layout(&app, &problem, &cookies).await.unwrap_or(response)
}

async fn render_in_layout(app: &App, problem: &PageError, cookies: &HeaderMap) -> Option<Response> {
    let version = app.store.data_version().await.ok()?;
    let seat = session::find_current_user(app, &version, cookies, (app.clock)()).await.ok()??;
    let view = PageContext::load_without_recompute(app, seat).await.ok()?;
    let (title, body) = problem.render();
    Some(problem.finish_response(view.page_outside_nav(title, &body)))
}
