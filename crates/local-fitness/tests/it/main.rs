//! The real binary, in a temporary home, on both databases.

mod bad_input;
mod first_run;
mod harness;
mod human;
