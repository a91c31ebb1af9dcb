//! TCP proxy to PostgreSQL whose connections tests can cut.

use std::net::SocketAddr;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

#[derive(Debug)]
pub struct TcpProxy {
    url: String,
    is_open: watch::Sender<bool>,
}

impl TcpProxy {
    /// A proxy to the database of a URL, connected at first.
    ///
    /// # Panics
    /// If the URL has no port, or none is free.
    pub async fn new(url: &str) -> Self {
        let (before, rest) = url.rsplit_once('@').expect("the test kit's own URL has a user");
        let (address, name) = rest.split_once('/').expect("and a database");
        let there: SocketAddr = address.replace("localhost", "127.0.0.1").parse().expect("and an address");
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("there is a free port");
        let here = listener.local_addr().expect("a bound port is known");
        let (is_open, seen) = watch::channel(true);
        tokio::spawn(async move {
            while let Ok((caller, _)) = listener.accept().await {
                let mut seen = seen.clone();
                if *seen.borrow_and_update() {
                    tokio::spawn(async move {
                        tokio::select! {
                            () = forward(caller, there) => {}
                            _ = seen.wait_for(|is_open| !is_open) => {}
                        }
                    });
                }
            }
        });
        Self { url: format!("{before}@{here}/{name}"), is_open }
    }

    /// The value of `FITNESS_DB` for a client of the proxy.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Closes all connections and rejects new ones.
    pub fn disconnect(&self) {
        self.is_open.send_replace(false);
    }

    pub fn reconnect(&self) {
        self.is_open.send_replace(true);
    }
}

async fn forward(mut caller: TcpStream, there: SocketAddr) {
    if let Ok(mut server) = TcpStream::connect(there).await {
        // Either side may close the connection.
        drop(tokio::io::copy_bidirectional(&mut caller, &mut server).await);
    }
}
