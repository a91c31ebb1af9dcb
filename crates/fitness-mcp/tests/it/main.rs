//! The server as a client meets it: by its own wire, and by foreign programs.

mod answers;
mod foreign;
mod guests;
mod kit;
mod registry;
mod stdio;
mod wire;
