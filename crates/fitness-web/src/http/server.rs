//! Accepts connections and serves HTTP on them, with TLS where this server speaks it itself.

use crate::app::{App, router};
use crate::http::connections::{
    Connection, ConnectionSettings, Connections, ResponseBody, TimedBody, WriteTimeout,
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

/// The most bytes of a request's head.
const MAX_HEADER_BYTES: usize = 16 * 1024;
/// So long may it take to agree on keys.
const TLS_HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);
/// So long is waited at the end for what is under way.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(10);
/// So long is waited when the machine has no more sockets.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(100);

/// Answers on a socket until told to stop; what is under way is finished.
///
/// # Errors
/// When the socket cannot be used.
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

/// The same over TLS.
///
/// # Errors
/// When the socket cannot be used.
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
    let (graceful, connections) = (GracefulShutdown::new(), Connections::new(settings));
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut until => break,
        };
        let Ok((stream, peer)) = accepted else {
            sleep(ACCEPT_RETRY_DELAY).await;
            continue;
        };
        // Small answers should not wait for more; that it cannot be said is no reason not to answer.
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
    // Whoever is still listening to a conversation after that hears no end of it.
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
    // A connection that breaks is nobody's news.
    drop(watcher.watch(connection).await);
}

/// Answers a request, with the client's address beside it and a bound on how slowly its body may come.
async fn handle_request(
    router: TowerToHyperService<Router>,
    connection: Arc<Connection>,
    request: Request<Incoming>,
) -> Result<Response<ResponseBody>, Infallible> {
    let mut response = match connection.begin_request(request.headers()) {
        Some(client) => {
            let mut request = request.map(|body| TimedBody::new(body, Arc::clone(&connection)));
            request.extensions_mut().insert(client);
            router.call(request).await?
        }
        None => host_check::plain_text_error(
            StatusCode::TOO_MANY_REQUESTS,
            "Too many requests of this address are at work. Try again in a moment.",
        ),
    };
    if connection.is_old() {
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    Ok(response.map(|body| ResponseBody::new(body, connection)))
}
