//! Pages that are shown again while nothing was written: what most visits get.

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

/// As much is kept before everything is let go.
const MAX_BYTES: usize = 16 * 1024 * 1024;
/// The largest page there is.
const MAX_PAGE_BYTES: usize = 4 * 1024 * 1024;

/// Which page: of which session, on which of their days, under which address.
pub(crate) type PageKey = (SessionId, Day, String);

/// Everything kept is of one version of the data.
#[derive(Debug, Clone, Default)]
pub struct PageCache(Arc<Mutex<Inner>>);

#[derive(Debug, Default)]
struct Inner {
    version: Option<DataVersion>,
    users: HashMap<ContentHash, CurrentUser>,
    pages: HashMap<PageKey, CachedPage>,
    bytes: usize,
}

/// A page as it was shown.
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
    /// The page as it was shown, when nothing was written since.
    pub(crate) fn find_page(&self, version: &DataVersion, key: &PageKey) -> Option<CachedPage> {
        self.for_version(version).pages.get(key).cloned()
    }

    /// Who a cookie belonged to, when nothing was written since.
    pub(crate) fn find_user(&self, version: &DataVersion, secret: ContentHash) -> Option<CurrentUser> {
        self.for_version(version).users.get(&secret).cloned()
    }

    pub(crate) fn insert_user(&self, version: &DataVersion, secret: ContentHash, seat: &CurrentUser) {
        self.for_version(version).users.insert(secret, seat.clone());
    }

    /// Keeps a page that was made of this version of the data, and shows it.
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
            to_bytes(body, MAX_PAGE_BYTES).await.map_err(|_| PageError::internal(&"a page has no end"))?;
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

    /// What is kept of a version; what was kept of another is let go.
    fn for_version(&self, version: &DataVersion) -> MutexGuard<'_, Inner> {
        let mut inner = self.lock();
        if inner.version.as_ref() != Some(version) {
            *inner = Inner { version: Some(version.clone()), ..Inner::default() };
        }
        inner
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // Whoever panicked while holding it left nothing half done.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
