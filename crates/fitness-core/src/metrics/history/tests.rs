//! A day changed anywhere gives what the whole history gives.
