//! HTTP server: accepts connections, with or without TLS.

use crate::app::{App, router};
use crate::http::connections::{
    Connection, ConnectionRegistry, ConnectionSettings, IdleOnDropBody, TimedBody, WriteTimeout,
};
use crate::http::host_check;
use axum::Router;
use axum::extract::Request;
use axum::http::{HeaderValue, Response, StatusCode, header};
use fitness_mcp::Prompts;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use hyper_util::service::TowerToHyperService;
use rustls::ServerConfig;
use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;

/// Maximum size of a request head.
const MAX_HEADER_BYTES: usize = 16 * 1024;
const TLS_HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);
/// Grace period for open requests.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(10);
/// Wait after a failed accept, for example when file descriptors run out.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(100);

/// Serves until `until` resolves, then finishes open requests.
pub async fn serve(
    listener: TcpListener,
    app: App,
    prompts: Prompts,
    until: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let settings = app.connections.clone();
    accept_connections(listener, None, (router(app, prompts), settings), until).await;
    Ok(())
}

pub async fn serve_tls(
    listener: TcpListener,
    tls: Arc<ServerConfig>,
    app: App,
    prompts: Prompts,
    until: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let settings = app.connections.clone();
    accept_connections(listener, Some(TlsAcceptor::from(tls)), (router(app, prompts), settings), until).await;
    Ok(())
}

async fn accept_connections(
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    (router, settings): (Router, ConnectionSettings),
    until: impl Future<Output = ()> + Send,
) {
    let mut until = pin!(until);
    let (graceful, connections) = (GracefulShutdown::new(), ConnectionRegistry::new(settings));
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut until => break,
        };
        let Ok((stream, peer)) = accepted else {
            sleep(ACCEPT_RETRY_DELAY).await;
            continue;
        };
        // Best effort: only latency suffers without it.
        drop(stream.set_nodelay(true));
        let Some(connection) = connections.register(peer.ip()) else { continue };
        let (router, tls, watcher) = (router.clone(), tls.clone(), graceful.watcher());
        tokio::spawn(async move {
            let serving = async {
                match tls {
                    None => serve_connection(stream, router, watcher, &connection).await,
                    Some(tls) => {
                        if let Ok(Ok(stream)) = timeout(TLS_HANDSHAKE_TIMEOUT, tls.accept(stream)).await {
                            serve_connection(stream, router, watcher, &connection).await;
                        }
                    }
                }
            };
            tokio::select! {
                () = serving => {}
                () = connection.wait_for_close() => {}
            }
        });
    }
    drop(listener);
    // Streams still open after the grace period are cut off.
    drop(timeout(SHUTDOWN_TIMEOUT, graceful.shutdown()).await);
}

async fn serve_connection(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    router: Router,
    watcher: Watcher,
    connection: &Arc<Connection>,
) {
    let settings = connection.settings();
    let (router, connection) = (TowerToHyperService::new(router), Arc::clone(connection));
    let service = service_fn(move |request| handle_request(router.clone(), Arc::clone(&connection), request));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(settings.header_timeout)
        .max_buf_size(MAX_HEADER_BYTES)
        .serve_connection(TokioIo::new(WriteTimeout::new(stream, settings.stall_timeout)), service);
    // A broken connection is not an error worth logging.
    drop(watcher.watch(connection).await);
}

/// Adds the client address and the body timeout to a request and routes it.
async fn handle_request(
    router: TowerToHyperService<Router>,
    connection: Arc<Connection>,
    request: Request<Incoming>,
) -> Result<Response<IdleOnDropBody>, Infallible> {
    let mut response = match connection.begin_request(request.headers()) {
        Some(client) => {
            let mut request = request.map(|body| TimedBody::new(body, Arc::clone(&connection)));
            request.extensions_mut().insert(client);
            router.call(request).await?
        }
        None => host_check::plain_text_error(
            StatusCode::TOO_MANY_REQUESTS,
            "Too many requests from this address. Try again in a moment.",
        ),
    };
    if connection.is_old() {
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    Ok(response.map(|body| IdleOnDropBody::new(body, connection)))
}
