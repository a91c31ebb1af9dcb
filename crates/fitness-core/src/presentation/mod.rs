//! Labels and formatted values shared by the CLI and the web app.

pub mod activity;
pub mod names;
pub mod thresholds;
pub mod zones;
