//! One client over standard input and output.

use crate::{Guest, MAX_MESSAGE, Prompts, Server};
use rmcp::serve_server;
use rmcp::service::{QuitReason, ServerInitializeError};
use rmcp::transport::async_rw::AsyncRwTransport;
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncWrite};

/// Why serving over stdio ended before the client closed its end.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The client did not begin as the protocol says.
    #[error("the client did not speak the Model Context Protocol: {0}")]
    NotUnderstood(String),
    /// The server's own task failed.
    #[error("the server stopped: {0}")]
    Stopped(String),
}

/// Serves one guest over standard input and output until the client closes them. Nothing else may be printed to standard
/// output meanwhile: it carries the protocol.
///
/// # Errors
/// That the client does not speak the protocol.
pub async fn serve_stdio(guest: Guest, prompts: Prompts) -> Result<(), ServeError> {
    serve_on(guest, prompts, tokio::io::stdin(), tokio::io::stdout()).await
}

/// Serves one guest over a pair of streams, one JSON message a line.
///
/// # Errors
/// That the client does not speak the protocol.
pub async fn serve_on<R, W>(guest: Guest, prompts: Prompts, read: R, write: W) -> Result<(), ServeError>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let transport = AsyncRwTransport::new_server(read, write).with_max_line_length(MAX_MESSAGE);
    let running = match serve_server(Server::of(guest, Arc::new(prompts)), transport).await {
        Ok(running) => running,
        Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => return Ok(()),
        // What was received is not repeated: it may be long, and it is foreign.
        Err(ServerInitializeError::ExpectedInitializeRequest(_)) => {
            return Err(ServeError::NotUnderstood("it began with something else than a request".to_owned()));
        }
        Err(why) => return Err(ServeError::NotUnderstood(why.to_string())),
    };
    match running.waiting().await {
        Ok(QuitReason::JoinError(why)) | Err(why) => Err(ServeError::Stopped(why.to_string())),
        Ok(_) => Ok(()),
    }
}
