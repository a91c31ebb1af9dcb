//! What the terminal and the web app tell in the same words: labels and values made ready to be read.

pub mod activity;
pub mod thresholds;
pub mod zones;
