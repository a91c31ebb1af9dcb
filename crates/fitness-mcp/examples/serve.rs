//! The MCP server with an in-memory athlete, to test a client against.
//!
//! ```sh
//! cargo run -p fitness-mcp --example serve -- stdio [read|draft]
//! cargo run -p fitness-mcp --example serve -- http PORT TOKEN [read|draft]
//! ```
//!
//! Over HTTP it listens on loopback, prints its URL, and stops when standard input ends. The token
//! `-` turns authentication off.

use axum::Router;
use axum::extract::Request;
use fitness_mcp::testkit::{InMemoryAthlete, prompts};
use fitness_mcp::{HttpConfig, McpClient, Scope, http_service, serve_stdio};
use std::error::Error;
use std::sync::Arc;
use tokio::io::AsyncReadExt;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let (kind, scope) = match args.as_slice() {
        [kind @ .., word @ ("read" | "draft")] => (kind, word.parse()?),
        kind => (kind, Scope::Draft),
    };
    let client = Arc::new(InMemoryAthlete::new("Ann").with_brief("# Good morning, Ann")).client(scope);
    match kind {
        ["stdio"] => Ok(serve_stdio(client, prompts()).await?),
        ["http", port, token] => serve_http(port.parse()?, (*token).to_owned(), client).await,
        _ => Err("usage: serve stdio [read|draft] | serve http PORT TOKEN [read|draft]".into()),
    }
}

async fn serve_http(port: u16, token: String, client: McpClient) -> Result<(), Box<dyn Error>> {
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await?;
    let base_url = format!("http://{}", listener.local_addr()?);
    println!("{base_url}/mcp");
    let endpoint = http_service(prompts(), HttpConfig { base_url, ..HttpConfig::default() });
    let bearer = format!("Bearer {token}");
    let app = Router::new().fallback(move |mut request: Request| {
        let authorized = token == "-"
            || request
                .headers()
                .get("authorization")
                .is_some_and(|value| value.as_bytes() == bearer.as_bytes());
        if authorized {
            request.extensions_mut().insert(client.clone());
        }
        let endpoint = endpoint.clone();
        async move { endpoint.handle(request).await }
    });
    let input_ends = async { while tokio::io::stdin().read(&mut [0; 64]).await.is_ok_and(|n| n > 0) {} };
    axum::serve(listener, app).with_graceful_shutdown(input_ends).await?;
    Ok(())
}
