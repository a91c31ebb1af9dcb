//! Thresholds: evidence for them, detection, and which one is in force on a day.

pub mod detect;
pub mod evidence;
pub mod in_force;
