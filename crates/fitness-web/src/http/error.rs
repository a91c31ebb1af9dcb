//! Error pages: what happened, what is safe, what to do next.

use crate::app::App;
use crate::auth::session;
use crate::components::core_message;
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

/// An error response of a page handler.
#[derive(Debug)]
pub(crate) struct PageError {
    status: StatusCode,
    /// Heading of the page; by default it follows from the status.
    title: Option<&'static str>,
    /// A sentence for the user.
    message: Box<str>,
    /// Path and label of the button.
    next_link: (String, &'static str),
    /// In seconds; sent with status 429 only.
    retry_after: u16,
}

impl PageError {
    /// The message is a sentence for the user; the button leads to Today.
    pub(crate) fn new(status: StatusCode, said: impl Into<String>) -> Self {
        let next_link = ("/".to_owned(), "Go to Today");
        Self {
            status,
            title: None,
            message: escape_and_truncate(&said.into()).into(),
            next_link,
            retry_after: RETRY_AFTER_SECONDS,
        }
    }

    pub(crate) fn with_title(mut self, title: &'static str) -> Self {
        self.title = Some(title);
        self
    }

    pub(crate) fn with_link(mut self, to: impl Into<String>, called: &'static str) -> Self {
        self.next_link = (to.into(), called);
        self
    }

    /// Also for what belongs to someone else: the two must look the same.
    pub(crate) fn not_found() -> Self {
        Self::new(StatusCode::NOT_FOUND, "This page doesn't exist. It may have been moved or deleted.")
    }

    /// The address of a form, opened as a page.
    pub(crate) fn method_not_allowed() -> Self {
        Self::new(
            StatusCode::METHOD_NOT_ALLOWED,
            "This page can't be opened directly. Go back and use the form.",
        )
    }

    pub(crate) fn payload_too_large() -> Self {
        Self::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "That's too much for a form: the limit is 64 kB for a field and 256 kB in total. Nothing was saved. Your text is \
             still on the previous page: go back, shorten it and send it again. To import files, open Data.",
        )
        .with_link("/data", "Import files")
    }

    pub(crate) fn request_timeout() -> Self {
        Self::new(
            StatusCode::REQUEST_TIMEOUT,
            "The connection was too slow. Nothing was saved. Go back and send the form again.",
        )
    }

    pub(crate) fn with_retry_after(mut self, seconds: u16) -> Self {
        self.retry_after = seconds;
        self
    }

    pub(crate) fn status_and_message(&self) -> (StatusCode, &str) {
        (self.status, &self.message)
    }

    /// As plain text, for programs.
    pub(crate) fn plain_text_response(&self) -> Response {
        let mut response = host_check::plain_text_error(self.status, &self.message);
        self.insert_retry_after(response.headers_mut());
        response
    }

    pub(crate) fn insert_retry_after(&self, headers: &mut HeaderMap) {
        if self.status == StatusCode::TOO_MANY_REQUESTS {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(self.retry_after));
        }
    }

    /// Redirects to the page that confirms this browser and then returns to `to`.
    pub(crate) fn confirmation_required(to: &str) -> Self {
        let to: String = form_urlencoded::byte_serialize(to.as_bytes()).collect();
        Self::new(StatusCode::SEE_OTHER, "Please confirm it's you.")
            .with_link(format!("/confirm?to={to}"), "Confirm it's you")
    }

    pub(crate) fn forbidden(said: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, said)
    }

    /// The stored state has changed.
    pub(crate) fn conflict(said: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, said)
    }

    /// A bug or a broken machine. The cause is logged under an id; the page shows only the id.
    pub(crate) fn internal(why: &dyn Display) -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let seed = format!("{}-{count}-{why}", std::process::id());
        let id: String = ContentHash::hash_bytes(seed.as_bytes()).to_string().chars().take(8).collect();
        tracing::error!(id, %why, "internal error");
        let said =
            format!("Something went wrong on the server. Nothing was changed. See {id} in the server log.");
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
                    "The server can't write to its disk: it is full or failing. Nothing was saved. The owner of the server needs to free up space.",
                )
            }
            Error::Busy | Error::NoConnection | Error::Unreachable(..) => Self::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "The database is busy or not responding. Nothing was changed. Try again in a moment.",
            ),
            Error::AlreadyActive { .. }
            | Error::NothingToReplace
            | Error::Stale
            | Error::ProposalClosed { .. }
            | Error::NotConfirmed(_) => Self::conflict(core_message::sentence(&error)),
            Error::Database(_) | Error::Unreadable(_) | Error::Damaged(..) => Self::internal(&error),
            other => Self::new(StatusCode::UNPROCESSABLE_ENTITY, core_message::sentence(&other)),
        }
    }
}

impl From<fitness_ingest::Error> for PageError {
    fn from(error: fitness_ingest::Error) -> Self {
        Self::internal(&error)
    }
}

/// Turns an error message into a sentence: capital letter and full stop.
pub(crate) fn to_sentence(error: &impl Display) -> String {
    let text = error.to_string();
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
    let end = if text.ends_with(['.', '!', '?']) { "" } else { "." };
    format!("{first}{}{end}", letters.as_str())
}

impl PageError {
    /// Title and body of the page.
    fn render(&self) -> (&'static str, Markup) {
        let by_status = match self.status {
            StatusCode::NOT_FOUND => "Page not found",
            StatusCode::CONFLICT => "That's not possible right now",
            StatusCode::GONE => "This link has expired",
            StatusCode::TOO_MANY_REQUESTS => "Too many requests",
            status if status.is_server_error() => "Something went wrong",
            _ => "That didn't work",
        };
        let title = self.title.unwrap_or(by_status);
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

/// Response extension: the error behind a bare page, for [`wrap_error_page`].
#[derive(Debug, Clone)]
struct PageErrorExtension(Arc<PageError>);

impl IntoResponse for PageError {
    fn into_response(self) -> Response {
        if self.status == StatusCode::SEE_OTHER {
            return see_other(&self.next_link.0);
        }
        let (title, body) = self.render();
        let mut response = self.finish_response(page::bare_page(title, &body).into_response());
        response.extensions_mut().insert(PageErrorExtension(Arc::new(self)));
        response
    }
}

/// Renders an error page inside the app's layout for a signed-in user.
///
/// The page stays bare when the user cannot be determined, while the database is unavailable, and
/// for 403 and 429: rejected requests must stay cheap.
pub(crate) async fn wrap_error_page(State(app): State<App>, request: Request, next: Next) -> Response {
    let of_program = request.headers().contains_key(header::AUTHORIZATION);
    let mut cookies = HeaderMap::new();
    for cookie in request.headers().get_all(header::COOKIE) {
        cookies.append(header::COOKIE, cookie.clone());
    }
    let response = next.run(request).await;
    let Some(PageErrorExtension(problem)) = response.extensions().get().cloned() else { return response };
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
    let current_user = session::find_current_user(app, &version, cookies, (app.clock)()).await.ok()??;
    let view = PageContext::load(app, current_user).await.ok()?;
    let (title, body) = problem.render();
    Some(problem.finish_response(view.page_outside_nav(title, &body)))
}
