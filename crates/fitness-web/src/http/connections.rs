//! Connection limits and timeouts against slow or greedy clients.
//!
//! A connection is either idle (waiting for a request or for more of a request body) or busy. When
//! a limit is reached, the longest idle connection is closed and the new one is served, so clients
//! that hold connections open without using them cannot lock others out.

use crate::http::client_address::{ClientAddress, TrustedProxies};
use axum::body::{Body, Bytes, HttpBody};
use axum::http::HeaderMap;
use hyper::body::{Frame, SizeHint};
use std::collections::{BTreeMap, HashMap};
use std::io;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::Notify;
use tokio::time::{Instant, Sleep, sleep};

/// Idle connections of one client up to this number are normal for browsers.
const BROWSER_CONNECTIONS: usize = 16;

/// Connection limits, timeouts and trusted proxies.
#[derive(Debug, Clone)]
pub struct ConnectionSettings {
    pub max_connections: usize,
    /// Per client address; a trusted proxy is not a client.
    pub max_per_address: usize,
    /// Timeout for the request head; also the idle timeout between requests.
    pub header_timeout: Duration,
    /// Time a client may spend on a body before `min_body_rate` applies.
    pub body_grace_period: Duration,
    /// Average, in bytes per second.
    pub min_body_rate: u64,
    /// Maximum time without progress, for reading a body and for writing a response.
    pub stall_timeout: Duration,
    /// An older connection is closed after its current request.
    pub max_age: Duration,
    pub trusted_proxies: TrustedProxies,
}

impl Default for ConnectionSettings {
    fn default() -> Self {
        Self {
            // Half of the usual limit of 1024 file descriptors.
            max_connections: 512,
            max_per_address: 128,
            header_timeout: Duration::from_secs(30),
            body_grace_period: Duration::from_secs(10),
            min_body_rate: 4 * 1024,
            stall_timeout: Duration::from_secs(30),
            max_age: Duration::from_secs(3600),
            trusted_proxies: TrustedProxies::default(),
        }
    }
}

#[derive(Debug)]
pub(crate) struct ConnectionRegistry {
    settings: ConnectionSettings,
    open: Mutex<OpenConnections>,
}

#[derive(Debug, Default)]
struct OpenConnections {
    last_id: u64,
    entries: BTreeMap<u64, Entry>,
}

#[derive(Debug)]
struct Entry {
    /// `None` for a trusted proxy's connection between requests.
    client: Option<ClientAddress>,
    idle_since: Option<Instant>,
    close: Arc<Notify>,
}

impl OpenConnections {
    fn count(&self, client: ClientAddress) -> usize {
        self.entries.values().filter(|entry| entry.client == Some(client)).count()
    }

    /// Closes the longest idle of the chosen connections; `false` when none of them is idle.
    fn close_longest_idle(&mut self, is_chosen: impl Fn(u64, &Entry) -> bool) -> bool {
        let waiting = self.entries.iter().filter(|(id, entry)| is_chosen(**id, entry));
        let longest =
            waiting.filter_map(|(id, entry)| Some((entry.idle_since?, *id))).min().map(|(_, id)| id);
        let Some(entry) = longest.and_then(|id| self.entries.remove(&id)) else { return false };
        entry.close.notify_one();
        true
    }

    /// Closes an idle connection of the client with the most idle ones, or the longest idle one
    /// where no client has more than a browser does.
    fn close_idle_of_largest_client(&mut self) -> bool {
        let mut held: HashMap<Option<ClientAddress>, usize> = HashMap::new();
        for entry in self.entries.values().filter(|entry| entry.idle_since.is_some()) {
            *held.entry(entry.client).or_default() += 1;
        }
        let Some((largest, count)) = held.into_iter().max_by_key(|(_, count)| *count) else { return false };
        self.close_longest_idle(|_, entry| count <= BROWSER_CONNECTIONS || entry.client == largest)
    }
}

impl ConnectionRegistry {
    pub(crate) fn new(settings: ConnectionSettings) -> Arc<Self> {
        Arc::new(Self { settings, open: Mutex::default() })
    }

    pub(crate) const fn settings(&self) -> &ConnectionSettings {
        &self.settings
    }

    /// Registers a new connection; `None` when there are too many and all of them are busy.
    pub(crate) fn register(self: &Arc<Self>, peer: IpAddr) -> Option<Arc<Connection>> {
        let peer_client = (!self.settings.trusted_proxies.contains(peer)).then(|| ClientAddress::new(peer));
        let mut open = self.lock();
        if let Some(client) = peer_client
            && open.count(client) >= self.settings.max_per_address
            && !open.close_longest_idle(|_, entry| entry.client == Some(client))
        {
            return None;
        }
        if open.entries.len() >= self.settings.max_connections && !open.close_idle_of_largest_client() {
            return None;
        }
        open.last_id += 1;
        let (id, close) = (open.last_id, Arc::new(Notify::new()));
        let waits_since = Some(Instant::now());
        open.entries
            .insert(id, Entry { client: peer_client, idle_since: waits_since, close: Arc::clone(&close) });
        drop(open);
        let since = Instant::now();
        Some(Arc::new(Connection {
            id,
            peer,
            peer_client,
            opened_at: since,
            close,
            connections: Arc::clone(self),
        }))
    }

    fn lock(&self) -> MutexGuard<'_, OpenConnections> {
        // The map is consistent whenever the lock is released, also by a panic.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One open connection; unregistered on drop.
#[derive(Debug)]
pub(crate) struct Connection {
    id: u64,
    peer: IpAddr,
    /// The peer as a client; `None` for a trusted proxy.
    peer_client: Option<ClientAddress>,
    opened_at: Instant,
    close: Arc<Notify>,
    connections: Arc<ConnectionRegistry>,
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.connections.lock().entries.remove(&self.id);
    }
}

impl Connection {
    /// Begins a request and returns its client; `None` when that client has too many busy
    /// connections.
    pub(crate) fn begin_request(&self, headers: &HeaderMap) -> Option<ClientAddress> {
        let settings = self.connections.settings();
        let client = ClientAddress::new(settings.trusted_proxies.client_address(self.peer, headers));
        let mut open = self.connections.lock();
        let entry = open.entries.get_mut(&self.id)?;
        entry.idle_since = None;
        if self.peer_client.is_none() && entry.client != Some(client) {
            entry.client = Some(client);
            let too_many = open.count(client) > settings.max_per_address;
            let own = self.id;
            if too_many && !open.close_longest_idle(|id, entry| id != own && entry.client == Some(client)) {
                return None;
            }
        }
        Some(client)
    }

    fn end_request(&self) {
        if let Some(entry) = self.connections.lock().entries.get_mut(&self.id) {
            entry.client = self.peer_client;
            entry.idle_since = Some(Instant::now());
        }
    }

    fn set_idle(&self, waits_since: Option<Instant>) {
        if let Some(entry) = self.connections.lock().entries.get_mut(&self.id) {
            entry.idle_since = waits_since;
        }
    }

    pub(crate) fn settings(&self) -> ConnectionSettings {
        self.connections.settings.clone()
    }

    /// Whether to close the connection after the current request.
    pub(crate) fn is_old(&self) -> bool {
        self.opened_at.elapsed() > self.connections.settings().max_age
    }

    /// Resolves when the connection has to make room for another.
    pub(crate) async fn wait_for_close(&self) {
        self.close.notified().await;
    }
}

#[derive(Debug, thiserror::Error)]
#[error("request body timed out")]
pub(crate) struct BodyTimeoutError;

/// Searches the chain of sources for a [`BodyTimeoutError`].
pub(crate) fn is_body_timeout(error: &(dyn std::error::Error + 'static)) -> bool {
    error.is::<BodyTimeoutError>() || error.source().is_some_and(is_body_timeout)
}

type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// A request body with a minimum rate. Only the time spent waiting for the client counts.
pub(crate) struct TimedBody<B> {
    inner: B,
    connection: Arc<Connection>,
    received: u64,
    waited: Duration,
    waiting_since: Option<(Instant, Pin<Box<Sleep>>)>,
}

impl<B> TimedBody<B> {
    pub(crate) const fn new(inner: B, connection: Arc<Connection>) -> Self {
        Self { inner, connection, received: 0, waited: Duration::ZERO, waiting_since: None }
    }

    fn next_timeout(&self) -> Duration {
        let settings = self.connection.connections.settings();
        let earned = Duration::from_secs_f64(self.received as f64 / settings.min_body_rate.max(1) as f64);
        (settings.body_grace_period + earned).saturating_sub(self.waited).min(settings.stall_timeout)
    }
}

impl<B> HttpBody for TimedBody<B>
where
    B: HttpBody<Data = Bytes> + Unpin,
    B::Error: Into<BoxError>,
{
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let this = &mut *self;
        if let Poll::Ready(frame) = Pin::new(&mut this.inner).poll_frame(context) {
            if let Some((since, _)) = this.waiting_since.take() {
                this.waited += since.elapsed();
                this.connection.set_idle(None);
            }
            let data = frame.as_ref().and_then(|frame| frame.as_ref().ok()?.data_ref());
            this.received += data.map_or(0, |data| data.len() as u64);
            return Poll::Ready(frame.map(|frame| frame.map_err(Into::into)));
        }
        let patience = this.next_timeout();
        let (_, end) = this.waiting_since.get_or_insert_with(|| {
            let now = Instant::now();
            this.connection.set_idle(Some(now));
            (now, Box::pin(sleep(patience)))
        });
        ready!(end.as_mut().poll(context));
        Poll::Ready(Some(Err(BodyTimeoutError.into())))
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

/// A response body; when it is dropped, the connection becomes idle.
pub(crate) struct IdleOnDropBody {
    inner: Body,
    connection: Arc<Connection>,
}

impl IdleOnDropBody {
    pub(crate) const fn new(inner: Body, connection: Arc<Connection>) -> Self {
        Self { inner, connection }
    }
}

impl Drop for IdleOnDropBody {
    fn drop(&mut self) {
        self.connection.end_request();
    }
}

impl HttpBody for IdleOnDropBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.inner).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

/// A stream whose writes fail when the client reads nothing for too long.
pub(crate) struct WriteTimeout<S> {
    inner: S,
    timeout: Duration,
    deadline: Option<Pin<Box<Sleep>>>,
}

impl<S: Unpin> WriteTimeout<S> {
    pub(crate) const fn new(inner: S, timeout: Duration) -> Self {
        Self { inner, timeout, deadline: None }
    }

    fn apply_timeout<T>(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.deadline = None;
            return written;
        }
        let stall = self.timeout;
        ready!(self.deadline.get_or_insert_with(|| Box::pin(sleep(stall))).as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for WriteTimeout<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for WriteTimeout<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.inner).poll_write(context, bytes);
        self.apply_timeout(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.inner).poll_write_vectored(context, bytes);
        self.apply_timeout(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.inner).poll_flush(context);
        self.apply_timeout(context, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let shut = Pin::new(&mut self.inner).poll_shutdown(context);
        self.apply_timeout(context, shut)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(last: u8) -> IpAddr {
        [192, 0, 2, last].into()
    }

    #[tokio::test]
    async fn idle_connection_is_closed_for_a_new_one_and_busy_is_not() {
        let settings =
            ConnectionSettings { max_connections: 4, max_per_address: 2, ..ConnectionSettings::default() };
        let all = ConnectionRegistry::new(settings);
        let first = all.register(address(1)).unwrap();
        let second = all.register(address(1)).unwrap();
        second.begin_request(&HeaderMap::new()).unwrap();
        let third = all.register(address(1)).unwrap();
        first.wait_for_close().await;
        third.begin_request(&HeaderMap::new()).unwrap();
        assert!(all.register(address(1)).is_none(), "both are busy");
        let other = all.register(address(2)).unwrap();
        let another = all.register(address(3)).unwrap();
        // The server is full: an idle connection is closed.
        let last = all.register(address(4)).unwrap();
        last.begin_request(&HeaderMap::new()).unwrap();
        let open = all.lock().entries.len();
        assert_eq!(open, 4);
        tokio::select! {
            () = other.wait_for_close() => {}
            () = another.wait_for_close() => {}
        }
        drop((second, third, last));
        assert_eq!(all.lock().entries.len(), 1);
    }

    #[tokio::test]
    async fn full_server_closes_connections_of_largest_client() {
        let max_connections = BROWSER_CONNECTIONS + 2;
        let all =
            ConnectionRegistry::new(ConnectionSettings { max_connections, ..ConnectionSettings::default() });
        let one = all.register(address(1)).unwrap();
        let many: Vec<_> = (1..max_connections).map(|_| all.register(address(2)).unwrap()).collect();
        let _new = all.register(address(3)).unwrap();
        many[0].wait_for_close().await;
        assert!(all.lock().entries.contains_key(&one.id));
    }

    #[tokio::test]
    async fn newer_browser_connections_survive_idle_ones_from_many_addresses() {
        let all = ConnectionRegistry::new(ConnectionSettings {
            max_connections: 10,
            ..ConnectionSettings::default()
        });
        let strangers: Vec<_> = (0..8).map(|last| all.register(address(last)).unwrap()).collect();
        let browser: Vec<_> = (0..2).map(|_| all.register(address(100)).unwrap()).collect();
        let _another = all.register(address(9)).unwrap();
        strangers[0].wait_for_close().await;
        let open = all.lock();
        assert!(browser.iter().all(|connection| open.entries.contains_key(&connection.id)));
    }
}
