//! Computed values: metrics of activities and days, chart series, facts, and recompute state.

pub(crate) mod activity_metrics;
pub(crate) mod chart_series;
pub(crate) mod facts_input;
pub(crate) mod recompute_state;
