//! MCP over standard input and output, for one client.

mod bounded_lines;

use crate::{MAX_MESSAGE_BYTES, McpClient, McpServer, Prompts};
use bounded_lines::{BoundedLines, RejectedLine};
use rmcp::model::ErrorData;
use rmcp::serve_server;
use rmcp::service::{QuitReason, RoleServer, RxJsonRpcMessage, ServerInitializeError, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use std::future::Future;
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// Why serving over stdio ended before the client closed its end.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    #[error("the client did not speak the Model Context Protocol: {0}")]
    Handshake(String),
    /// The server task panicked or was cancelled.
    #[error("the server stopped: {0}")]
    Stopped(String),
}

/// Serves one client over standard input and output until it closes them. Nothing else may be
/// printed to standard output meanwhile: it carries the protocol.
pub async fn serve_stdio(client: McpClient, prompts: Prompts) -> Result<(), ServeError> {
    serve_streams(client, prompts, tokio::io::stdin(), tokio::io::stdout()).await
}

/// Serves one client over a pair of streams, one JSON message per line.
pub async fn serve_streams<R, W>(
    client: McpClient,
    prompts: Prompts,
    read: R,
    write: W,
) -> Result<(), ServeError>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let transport = LineTransport::new(read, write);
    let running = match serve_server(McpServer::for_client(client, Arc::new(prompts)), transport).await {
        Ok(running) => running,
        Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => return Ok(()),
        // The received message is not repeated: it may be long, and it is untrusted.
        Err(ServerInitializeError::ExpectedInitializeRequest(_)) => {
            return Err(ServeError::Handshake("the first message was not a request".to_owned()));
        }
        Err(why) => return Err(ServeError::Handshake(why.to_string())),
    };
    match running.waiting().await {
        Ok(QuitReason::JoinError(why)) | Err(why) => Err(ServeError::Stopped(why.to_string())),
        Ok(_) => Ok(()),
    }
}

/// One JSON message per line. An oversized request and a line that is not JSON get an error
/// response, as over HTTP.
struct LineTransport<R: AsyncRead + Unpin, W: AsyncWrite> {
    inner: AsyncRwTransport<RoleServer, BoundedLines<R>, W>,
    rejected: UnboundedReceiver<RejectedLine>,
}

impl<R, W> LineTransport<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    fn new(read: R, write: W) -> Self {
        let (sender, rejected) = unbounded_channel();
        let inner = AsyncRwTransport::new_server(BoundedLines::new(read, sender), write);
        Self { inner: inner.with_max_line_length(MAX_MESSAGE_BYTES), rejected }
    }

    fn refuse(
        &mut self,
        unread: RejectedLine,
    ) -> impl Future<Output = Result<(), std::io::Error>> + Send + 'static {
        let (error, id) = match unread {
            RejectedLine::TooLong(id) => {
                let sentence =
                    format!("Message too long: more than {MAX_MESSAGE_BYTES} bytes. Send a shorter one.");
                (ErrorData::invalid_request(sentence, None), Some(id))
            }
            RejectedLine::NotJson => (ErrorData::parse_error("This line is not JSON.", None), None),
        };
        self.inner.send(TxJsonRpcMessage::<RoleServer>::error(error, id))
    }
}

impl<R, W> Transport<RoleServer> for LineTransport<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = std::io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.inner.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            tokio::select! {
                biased;
                Some(unread) = self.rejected.recv() => {
                    // Spawned, because this future may be cancelled and the response must still be
                    // sent.
                    tokio::spawn(self.refuse(unread));
                }
                message = self.inner.receive() => {
                    if message.is_none() {
                        while let Ok(unread) = self.rejected.try_recv() {
                            self.refuse(unread).await.ok()?;
                        }
                    }
                    return message;
                }
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inner.close().await
    }
}
