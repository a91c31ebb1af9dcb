//! Connections: how long a head may take, how large it may be, and TLS where this server speaks it itself.

use crate::app::{App, router};
use axum::Router;
use fitness_mcp::Prompts;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use hyper_util::service::TowerToHyperService;
use rustls::ServerConfig;
use std::future::Future;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;

/// So long may a call take to say what it wants, and a connection to say anything.
const HEAD_TIME: Duration = Duration::from_secs(30);
/// So much may it say of that.
const HEAD_BYTES: usize = 16 * 1024;
/// So long may it take to agree on keys.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// So many connections are open at once; the next one waits.
const CONNECTIONS: usize = 512;
/// So long is waited at the end for what is under way.
const FAREWELL: Duration = Duration::from_secs(10);
/// So long is waited when the machine has no more sockets.
const BREATH: Duration = Duration::from_millis(100);

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
    accept(listener, None, router(app, prompts), until).await;
    Ok(())
}

/// The same over TLS.
///
/// # Errors
/// When the socket cannot be used.
pub async fn serve_encrypted(
    listener: TcpListener,
    tls: Arc<ServerConfig>,
    app: App,
    prompts: Prompts,
    until: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    accept(listener, Some(TlsAcceptor::from(tls)), router(app, prompts), until).await;
    Ok(())
}

async fn accept(
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    router: Router,
    until: impl Future<Output = ()> + Send,
) {
    let mut until = pin!(until);
    let (graceful, places) = (GracefulShutdown::new(), Arc::new(Semaphore::new(CONNECTIONS)));
    loop {
        let next = async {
            let place = Arc::clone(&places).acquire_owned().await.ok();
            (place, listener.accept().await)
        };
        let (place, accepted) = tokio::select! {
            next = next => next,
            () = &mut until => break,
        };
        let Ok((stream, _)) = accepted else {
            sleep(BREATH).await;
            continue;
        };
        // Small answers should not wait for more; that it cannot be said is no reason not to answer.
        drop(stream.set_nodelay(true));
        let (router, tls, watcher) = (router.clone(), tls.clone(), graceful.watcher());
        tokio::spawn(async move {
            match tls {
                None => converse(stream, router, watcher).await,
                Some(tls) => {
                    if let Ok(Ok(stream)) = timeout(HANDSHAKE, tls.accept(stream)).await {
                        converse(stream, router, watcher).await;
                    }
                }
            }
            drop(place);
        });
    }
    drop(listener);
    // Whoever is still listening to a conversation after that hears no end of it.
    drop(timeout(FAREWELL, graceful.shutdown()).await);
}

async fn converse(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    router: Router,
    watcher: Watcher,
) {
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .max_buf_size(HEAD_BYTES)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
    // A connection that breaks is nobody's news.
    drop(watcher.watch(connection).await);
}
