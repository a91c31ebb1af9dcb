//! A fake clock, and the HTTP server that the fake services are built on. Tests never wait.

mod fake_clock;
mod server;

pub use fake_clock::{FakeClock, client};
pub use server::{
    BodyFraming, FakeServer, LatePart, Misbehavior, ReceivedRequest, RecordedRequest, RequestHandler,
    Response, ResponseStep,
};
