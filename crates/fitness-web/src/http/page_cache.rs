//! Cache of rendered pages and sessions, valid until anything is written to the database.

use crate::auth::session::CurrentUser;
use crate::http::error::PageError;
use axum::body::{Body, Bytes, to_bytes};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use fitness_core::domain::calendar::Day;
use fitness_core::domain::content_hash::ContentHash;
use fitness_core::domain::ids::SessionId;
use fitness_store::DataVersion;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The cache is cleared when it would exceed this.
const MAX_BYTES: usize = 16 * 1024 * 1024;
const MAX_PAGE_BYTES: usize = 4 * 1024 * 1024;

/// Session, the athlete's current day, path and query.
pub(crate) type PageKey = (SessionId, Day, String);

/// All entries belong to one version of the data.
#[derive(Debug, Clone, Default)]
pub struct PageCache(Arc<Mutex<Inner>>);

#[derive(Debug, Default)]
struct Inner {
    version: Option<DataVersion>,
    users: HashMap<ContentHash, CurrentUser>,
    pages: HashMap<PageKey, CachedPage>,
    bytes: usize,
}

#[derive(Debug, Clone)]
pub(crate) struct CachedPage {
    headers: HeaderMap,
    body: Bytes,
}

impl IntoResponse for CachedPage {
    fn into_response(self) -> Response {
        let mut response = Response::new(Body::from(self.body));
        *response.headers_mut() = self.headers;
        response
    }
}

impl PageCache {
    /// `None` when anything was written since.
    pub(crate) fn find_page(&self, version: &DataVersion, key: &PageKey) -> Option<CachedPage> {
        self.for_version(version).pages.get(key).cloned()
    }

    /// The user of a session cookie; `None` when anything was written since.
    pub(crate) fn find_user(&self, version: &DataVersion, secret: ContentHash) -> Option<CurrentUser> {
        self.for_version(version).users.get(&secret).cloned()
    }

    pub(crate) fn insert_user(&self, version: &DataVersion, secret: ContentHash, current_user: &CurrentUser) {
        self.for_version(version).users.insert(secret, current_user.clone());
    }

    /// Caches a page rendered from this version of the data and returns it.
    pub(crate) async fn insert_page(
        &self,
        version: DataVersion,
        key: PageKey,
        response: Response,
    ) -> Result<Response, PageError> {
        if response.status() != StatusCode::OK {
            return Ok(response);
        }
        let (parts, body) = response.into_parts();
        let body =
            to_bytes(body, MAX_PAGE_BYTES).await.map_err(|_| PageError::internal(&"page too large"))?;
        let shown = CachedPage { headers: parts.headers, body };
        let mut inner = self.lock();
        if inner.version.as_ref() == Some(&version) {
            let size = shown.body.len();
            if inner.bytes + size > MAX_BYTES {
                inner.pages.clear();
                inner.bytes = 0;
            }
            inner.bytes += size;
            inner.pages.insert(key, shown.clone());
        }
        drop(inner);
        Ok(shown.into_response())
    }

    /// The entries of a version; entries of another one are dropped.
    fn for_version(&self, version: &DataVersion) -> MutexGuard<'_, Inner> {
        let mut inner = self.lock();
        if inner.version.as_ref() != Some(version) {
            *inner = Inner { version: Some(version.clone()), ..Inner::default() };
        }
        inner
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // A panic leaves the cache consistent.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
