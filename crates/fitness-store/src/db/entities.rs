//! sea-orm entities for every table; they mirror the SQL in `migrations/`. The module of each
//! feature converts them to types of fitness-core.

use chrono::{DateTime, NaiveDate, Utc};
use sea_orm::entity::prelude::*;

type Instant = DateTime<Utc>;

/// One module per table with the names sea-orm expects: `Entity`, `Model`, `ActiveModel`, `Column`.
macro_rules! tables {
    ( $( $table:ident = $name:tt { $( $(#[$attr:meta])* $field:ident : $ty:ty, )+ } )+ ) => { $(
        pub(crate) mod $table {
            use super::*;

            #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
            #[sea_orm(table_name = $name)]
            pub(crate) struct Model {
                $( $(#[$attr])* pub(crate) $field: $ty, )+
            }

            #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
            pub(crate) enum Relation {}

            impl ActiveModelBehavior for ActiveModel {}
        }
    )+ };
}

tables! {
    derivations = "derivations" {
        #[sea_orm(primary_key, auto_increment = false)] user_id: i64,
        stale_from: Option<NaiveDate>,
        settled_through: Option<NaiveDate>,
        touched: i64,
        merge_rules: i64,
    }
    record_streams = "record_streams" {
        #[sea_orm(primary_key, auto_increment = false)] user_id: i64,
        #[sea_orm(primary_key, auto_increment = false)] kind: String,
        #[sea_orm(primary_key, auto_increment = false)] external_id: String,
        #[sea_orm(primary_key, auto_increment = false)] channel: String,
        samples: i64,
        packed: Vec<u8>,
    }
    gear = "gear" {
        #[sea_orm(primary_key)] id: i64,
        user_id: i64,
        kind: String,
        name: String,
        initial_mm: i64,
        retire_at_mm: Option<i64>,
        retired_on: Option<NaiveDate>,
        added_at: Instant,
    }
    gear_defaults = "gear_defaults" {
        #[sea_orm(primary_key, auto_increment = false)] user_id: i64,
        #[sea_orm(primary_key, auto_increment = false)] sport: String,
        #[sea_orm(primary_key, auto_increment = false)] from_day: NaiveDate,
        gear_id: Option<i64>,
    }
    activity_gear = "activity_gear" {
        #[sea_orm(primary_key, auto_increment = false)] activity_id: i64,
        user_id: i64,
        gear_id: Option<i64>,
    }
    activity_metrics = "activity_metrics" {
        #[sea_orm(primary_key, auto_increment = false)] activity_id: i64,
        user_id: i64,
        version: i64,
        clues: Json,
        measures: Vec<u8>,
        judged: Option<Vec<u8>>,
    }
    daily_metrics = "daily_metrics" {
        #[sea_orm(primary_key, auto_increment = false)] user_id: i64,
        #[sea_orm(primary_key, auto_increment = false)] day: NaiveDate,
        load: Option<f64>,
        fitness: Option<f64>,
        fatigue: Option<f64>,
        form: f64,
        recovery: Option<i64>,
        packed: Vec<u8>,
    }
    users = "users" {
        #[sea_orm(primary_key)] id: i64,
        name: String,
        name_key: String,
        created_at: Instant,
    }
    credentials = "credentials" {
        #[sea_orm(primary_key, auto_increment = false)] user_id: i64,
        password_hash: String,
        changed_at: Instant,
    }
    invites = "invites" {
        #[sea_orm(primary_key)] id: i64,
        user_id: i64,
        token_hash: String,
        made_at: Instant,
        expires_at: Instant,
        redeemed_at: Option<Instant>,
    }
    sign_ins = "sign_ins" {
        #[sea_orm(primary_key)] id: i64,
        user_id: i64,
        token_hash: String,
        made_at: Instant,
        expires_at: Instant,
        spent_at: Option<Instant>,
    }
    calendar_feeds = "calendar_feeds" {
        #[sea_orm(primary_key, auto_increment = false)] user_id: i64,
        token_hash: String,
        made_at: Instant,
    }
    sessions = "sessions" {
        #[sea_orm(primary_key)] id: i64,
        user_id: i64,
        token_hash: String,
        client: String,
        opened_at: Instant,
        seen_at: Instant,
        expires_at: Instant,
        confirmed_at: Option<Instant>,
    }
    session_codes = "session_codes" {
        #[sea_orm(primary_key, auto_increment = false)] user_id: i64,
        code_hash: String,
        tries_left: i64,
        made_at: Instant,
        expires_at: Instant,
    }
    ownerships = "ownerships" {
        #[sea_orm(primary_key, auto_increment = false)] user_id: i64,
        since: Instant,
    }
    api_tokens = "api_tokens" {
        #[sea_orm(primary_key)] id: i64,
        user_id: i64,
        name: String,
        token_hash: String,
        scope: String,
        made_at: Instant,
        expires_at: Option<Instant>,
        used_at: Option<Instant>,
        revoked_at: Option<Instant>,
    }
    profiles = "profiles" {
        #[sea_orm(primary_key, auto_increment = false)] user_id: i64,
        zone: String,
        units: String,
        week_start: String,
        birth_year: Option<i64>,
        sex: Option<String>,
        sleep_need_ms: Option<i64>,
    }
    thresholds = "thresholds" {
        #[sea_orm(primary_key)] id: i64,
        user_id: i64,
        kind: String,
        value: f64,
        from_day: NaiveDate,
        origin: String,
    }
    zones = "zones" {
        #[sea_orm(primary_key, auto_increment = false)] user_id: i64,
        #[sea_orm(primary_key, auto_increment = false)] kind: String,
        #[sea_orm(primary_key, auto_increment = false)] sport: String,
        #[sea_orm(primary_key, auto_increment = false)] from_day: NaiveDate,
        #[sea_orm(primary_key, auto_increment = false)] origin: String,
        lower_bounds: Json,
    }
    settings = "settings" {
        #[sea_orm(primary_key, auto_increment = false)] user_id: i64,
        #[sea_orm(primary_key, auto_increment = false)] key: String,
        value: Json,
    }
    sources = "sources" {
        #[sea_orm(primary_key)] id: i64,
        user_id: i64,
        kind: String,
        label: String,
        config: Json,
        key_expires_on: Option<NaiveDate>,
        added_at: Instant,
        removed_at: Option<Instant>,
    }
    source_secrets = "source_secrets" {
        #[sea_orm(primary_key, auto_increment = false)] source_id: i64,
        user_id: i64,
        sealed: Vec<u8>,
        stored_at: Instant,
    }
    sync_runs = "sync_runs" {
        #[sea_orm(primary_key)] id: i64,
        user_id: i64,
        source_id: Option<i64>,
        kind: String,
        state: String,
        started_at: Instant,
        finished_at: Option<Instant>,
        complete_through: Option<NaiveDate>,
        open_day: Option<NaiveDate>,
        summary: Json,
        problem: Option<String>,
    }
    activities = "activities" {
        #[sea_orm(primary_key)] id: i64,
        user_id: i64,
        identity: String,
        source_id: Option<i64>,
        sport: String,
        sub_sport: Option<String>,
        name: Option<String>,
        started_at: Instant,
        utc_offset_s: i64,
        day: NaiveDate,
        elapsed_ms: Option<i64>,
        moving_ms: Option<i64>,
        distance_mm: Option<i64>,
        ascent_mm: Option<i64>,
        descent_mm: Option<i64>,
        avg_heart_rate: Option<i64>,
        max_heart_rate: Option<i64>,
        avg_power: Option<i64>,
        max_power: Option<i64>,
        avg_cadence: Option<f64>,
        energy_kcal: Option<i64>,
        load: Option<f64>,
        load_quality: Option<String>,
        load_method: Option<String>,
        measured_moving_ms: Option<i64>,
        measured_ascent_mm: Option<i64>,
        device_metrics: Option<Json>,
        device: Option<String>,
        imported_at: Instant,
        race: bool,
        flaws: Option<Json>,
        edit: Option<Json>,
        deleted_at: Option<Instant>,
    }
    originals = "originals" {
        #[sea_orm(primary_key)] id: i64,
        user_id: i64,
        sha256: String,
        name: String,
        size: i64,
        packed: Vec<u8>,
        kept_at: Instant,
        reader: String,
    }
    activity_reports = "activity_reports" {
        #[sea_orm(primary_key)] id: i64,
        user_id: i64,
        activity_id: i64,
        source_id: Option<i64>,
        original_id: Option<i64>,
        kind: String,
        external_id: String,
        started_at: Instant,
        outline: Vec<u8>,
        content_hash: String,
        edition: Option<NaiveDate>,
        raw: Option<Vec<u8>>,
        told_at: Instant,
    }
    activity_details = "activity_details" {
        #[sea_orm(primary_key, auto_increment = false)] activity_id: i64,
        user_id: i64,
        packed: Vec<u8>,
    }
    day_reports = "day_reports" {
        #[sea_orm(primary_key, auto_increment = false)] user_id: i64,
        #[sea_orm(primary_key, auto_increment = false)] day: NaiveDate,
        #[sea_orm(primary_key, auto_increment = false)] kind: String,
        #[sea_orm(primary_key, auto_increment = false)] part: String,
        reported: Json,
        as_of: Option<Instant>,
        content_hash: String,
        edition: Option<NaiveDate>,
        raw: Option<Vec<u8>>,
    }
    estimates = "estimates" {
        #[sea_orm(primary_key, auto_increment = false)] user_id: i64,
        #[sea_orm(primary_key, auto_increment = false)] day: NaiveDate,
        #[sea_orm(primary_key, auto_increment = false)] kind: String,
        value: Json,
        told_at: Option<Instant>,
    }
    finished_imports = "finished_imports" {
        #[sea_orm(primary_key, auto_increment = false)] user_id: i64,
        #[sea_orm(primary_key, auto_increment = false)] sha256: String,
        #[sea_orm(primary_key, auto_increment = false)] reader: String,
        finished_at: Instant,
    }
    races = "races" {
        #[sea_orm(primary_key)] id: i64,
        user_id: i64,
        activity_id: Option<i64>,
        day: NaiveDate,
        name: String,
        distance_mm: i64,
        time_ms: i64,
        confirmed: bool,
        decided_at: Instant,
        effort: String,
    }
    laps = "laps" {
        #[sea_orm(primary_key, auto_increment = false)] activity_id: i64,
        user_id: i64,
        #[sea_orm(primary_key, auto_increment = false)] number: i64,
        started_at: Instant,
        elapsed_ms: Option<i64>,
        moving_ms: Option<i64>,
        distance_mm: Option<i64>,
        avg_heart_rate: Option<i64>,
        max_heart_rate: Option<i64>,
        avg_power: Option<i64>,
        avg_cadence: Option<f64>,
        kind: Option<String>,
    }
    streams = "streams" {
        #[sea_orm(primary_key, auto_increment = false)] activity_id: i64,
        user_id: i64,
        #[sea_orm(primary_key, auto_increment = false)] channel: String,
        samples: i64,
        packed: Vec<u8>,
    }
    daily_wellness = "daily_wellness" {
        #[sea_orm(primary_key, auto_increment = false)] user_id: i64,
        #[sea_orm(primary_key, auto_increment = false)] day: NaiveDate,
        sleep_began_at: Option<Instant>,
        sleep_ended_at: Option<Instant>,
        asleep_ms: Option<i64>,
        deep_ms: Option<i64>,
        light_ms: Option<i64>,
        rem_ms: Option<i64>,
        awake_ms: Option<i64>,
        sleep_score: Option<i64>,
        resting_heart_rate: Option<i64>,
        hrv_ms: Option<f64>,
        stress_avg: Option<i64>,
        stress_max: Option<i64>,
        body_battery_high: Option<i64>,
        body_battery_low: Option<i64>,
        respiration: Option<f64>,
        spo2: Option<f64>,
        weight_kg: Option<f64>,
        steps: Option<i64>,
        vo2max: Option<f64>,
    }
    notes = "notes" {
        #[sea_orm(primary_key)] id: i64,
        user_id: i64,
        day: Option<NaiveDate>,
        author: String,
        accepted: bool,
        text: String,
        written_at: Instant,
    }
    observations = "observations" {
        #[sea_orm(primary_key)] id: i64,
        user_id: i64,
        kind: String,
        from_day: NaiveDate,
        through_day: NaiveDate,
        value: Option<i64>,
        activity_id: Option<i64>,
        comment: Option<String>,
        author: String,
        accepted: bool,
        written_at: Instant,
    }
    confirmations = "confirmations" {
        #[sea_orm(primary_key)] id: i64,
        user_id: i64,
        kind: String,
        plan_id: Option<i64>,
        content_hash: String,
        nonce_hash: String,
        channel: String,
        opened_at: Instant,
        expires_at: Instant,
        spent_at: Option<Instant>,
    }
    human_actions = "human_actions" {
        #[sea_orm(primary_key)] id: i64,
        user_id: i64,
        kind: String,
        plan_id: Option<i64>,
        replaces_id: Option<i64>,
        proposal_id: Option<i64>,
        confirmation_id: i64,
        channel: String,
        detail: Json,
        done_at: Instant,
    }
    training_plans = "training_plans" {
        #[sea_orm(primary_key)] id: i64,
        user_id: i64,
        name: String,
        goal: String,
        distance_mm: Option<i64>,
        race_date: NaiveDate,
        start_date: NaiveDate,
        begun_on: Option<NaiveDate>,
        target_time: Option<i64>,
        terms: Option<Json>,
        status: String,
        author: String,
        content_hash: String,
        revision: i64,
        superseded_by: Option<i64>,
        created_at: Instant,
        activated_by: Option<i64>,
        activated_at: Option<Instant>,
        archived_by: Option<i64>,
        archived_at: Option<Instant>,
    }
    plan_revisions = "plan_revisions" {
        #[sea_orm(primary_key)] id: i64,
        plan_id: i64,
        user_id: i64,
        number: i64,
        origin: String,
        made_by: Option<i64>,
        reason: Option<String>,
        content_hash: String,
        made_at: Instant,
    }
    workouts = "workouts" {
        #[sea_orm(primary_key)] id: i64,
        plan_id: i64,
        user_id: i64,
    }
    planned_workouts = "planned_workouts" {
        #[sea_orm(primary_key)] id: i64,
        plan_id: i64,
        user_id: i64,
        revision: i64,
        position: i64,
        workout_id: i64,
        date: NaiveDate,
        sport: String,
        kind: String,
        name: String,
        distance_mm: Option<i64>,
        duration_ms: Option<i64>,
        load: Option<f64>,
        intensity: Option<String>,
        description: Option<String>,
        is_key: bool,
        steps: Json,
    }
    proposals = "proposals" {
        #[sea_orm(primary_key)] id: i64,
        user_id: i64,
        plan_id: i64,
        base_revision: i64,
        status: String,
        author: String,
        message: String,
        changes: Json,
        made_at: Instant,
        applied_by: Option<i64>,
        decided_at: Option<Instant>,
        expires_on: Option<NaiveDate>,
        follows_from: Option<String>,
        superseded_by: Option<i64>,
        findings: Option<Json>,
        withdrawn_at: Option<Instant>,
    }
    workout_matches = "workout_matches" {
        #[sea_orm(primary_key)] id: i64,
        user_id: i64,
        plan_id: i64,
        workout_id: i64,
        activity_id: i64,
        accepted: bool,
        decided_at: Instant,
    }
    briefs = "briefs" {
        #[sea_orm(primary_key)] id: i64,
        user_id: i64,
        day: NaiveDate,
        written_at: Instant,
        model: String,
        prompt_version: String,
        schema_version: String,
        body: Json,
        cost_micros: Option<i64>,
        fell_back: Option<String>,
    }
    spendings = "spendings" {
        #[sea_orm(primary_key)] id: i64,
        user_id: i64,
        day: NaiveDate,
        at: Instant,
        purpose: String,
        model: String,
        input_tokens: i64,
        cache_write_tokens: i64,
        cache_read_tokens: i64,
        output_tokens: i64,
        cost_micros: Option<i64>,
    }
    brief_facts = "brief_facts" {
        #[sea_orm(primary_key, auto_increment = false)] brief_id: i64,
        user_id: i64,
        #[sea_orm(primary_key, auto_increment = false)] fact_id: String,
        value: Json,
        source: Json,
    }
    chats = "chats" {
        #[sea_orm(primary_key)] id: i64,
        user_id: i64,
        title: String,
        started_at: Instant,
    }
    chat_messages = "chat_messages" {
        #[sea_orm(primary_key)] id: i64,
        chat_id: i64,
        user_id: i64,
        role: String,
        body: Json,
        model: Option<String>,
        said_at: Instant,
    }
    jobs = "jobs" {
        #[sea_orm(primary_key)] id: i64,
        user_id: i64,
        kind: String,
        payload: Json,
        state: String,
        attempts: i64,
        run_at: Instant,
        claimed_by: Option<String>,
        claimed_until: Option<Instant>,
        problem: Option<String>,
        finished_at: Option<Instant>,
    }
    audit_log = "audit_log" {
        #[sea_orm(primary_key)] id: i64,
        user_id: i64,
        seq: i64,
        at: Instant,
        actor: String,
        action: String,
        object: String,
        before_hash: Option<String>,
        after_hash: Option<String>,
        prev_hash: String,
        hash: String,
    }
}
