//! Computed values: metrics of activities and days, chart series, facts, and what must be recomputed.

pub(crate) mod activity_metrics;
pub(crate) mod chart_series;
pub(crate) mod facts;
pub(crate) mod recompute_state;
