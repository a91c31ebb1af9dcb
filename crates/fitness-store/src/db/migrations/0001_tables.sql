-- The tables of local-fitness, written once for SQLite and PostgreSQL.
--
-- {{words}} in braces are the types that the two databases spell differently (see migrations/mod.rs).
-- Lengths are millimetres, spans milliseconds, instants UTC, days the athlete's local days.
-- No foreign key cascades: a row goes only when somebody removes it, and a user's rows go only whole.

CREATE TABLE users (
    id {{id}},
    name TEXT NOT NULL,
    name_key TEXT NOT NULL,
    created_at {{instant}} NOT NULL,
    CONSTRAINT a_user_name_is_taken_once UNIQUE (name_key)
){{table}};

-- Apart from users, because a user row is never edited.
CREATE TABLE credentials (
    user_id {{int}} PRIMARY KEY REFERENCES users (id),
    password_hash TEXT NOT NULL,
    changed_at {{instant}} NOT NULL
){{table}};

CREATE TABLE invites (
    id {{id}},
    user_id {{int}} NOT NULL REFERENCES users (id),
    token_hash TEXT NOT NULL UNIQUE,
    made_at {{instant}} NOT NULL,
    expires_at {{instant}} NOT NULL,
    redeemed_at {{instant}}
){{table}};
CREATE INDEX invites_by_user ON invites (user_id);

CREATE TABLE sessions (
    id {{id}},
    user_id {{int}} NOT NULL REFERENCES users (id),
    token_hash TEXT NOT NULL UNIQUE,
    client TEXT NOT NULL,
    opened_at {{instant}} NOT NULL,
    seen_at {{instant}} NOT NULL,
    expires_at {{instant}} NOT NULL
){{table}};
CREATE INDEX sessions_by_user ON sessions (user_id);

CREATE TABLE api_tokens (
    id {{id}},
    user_id {{int}} NOT NULL REFERENCES users (id),
    name TEXT NOT NULL,
    token_hash TEXT NOT NULL UNIQUE,
    scope TEXT NOT NULL CHECK (scope IN ('read', 'draft')),
    made_at {{instant}} NOT NULL,
    expires_at {{instant}},
    used_at {{instant}},
    revoked_at {{instant}}
){{table}};
CREATE INDEX api_tokens_by_user ON api_tokens (user_id);

-- The profile is a row of its own so that an athlete without one has said nothing.
CREATE TABLE profiles (
    user_id {{int}} PRIMARY KEY REFERENCES users (id),
    zone TEXT NOT NULL,
    units TEXT NOT NULL CHECK (units IN ('metric', 'imperial')),
    week_start TEXT NOT NULL,
    birth_year {{int}},
    sex TEXT CHECK (sex IN ('female', 'male'))
){{table}};

CREATE TABLE thresholds (
    id {{id}},
    user_id {{int}} NOT NULL REFERENCES users (id),
    kind TEXT NOT NULL,
    value {{real}} NOT NULL,
    from_day {{day}} NOT NULL,
    origin TEXT NOT NULL,
    CONSTRAINT one_threshold_per_kind_day_and_origin UNIQUE (user_id, kind, from_day, origin)
){{table}};

CREATE TABLE zones (
    user_id {{int}} NOT NULL REFERENCES users (id),
    kind TEXT NOT NULL,
    sport TEXT NOT NULL,
    from_day {{day}} NOT NULL,
    lower_bounds {{json}} NOT NULL,
    PRIMARY KEY (user_id, kind, sport, from_day)
){{table}};

CREATE TABLE settings (
    user_id {{int}} NOT NULL REFERENCES users (id),
    key TEXT NOT NULL,
    value {{json}} NOT NULL,
    PRIMARY KEY (user_id, key)
){{table}};

CREATE TABLE sources (
    id {{id}},
    user_id {{int}} NOT NULL REFERENCES users (id),
    kind TEXT NOT NULL,
    label TEXT NOT NULL,
    config {{json}} NOT NULL,
    key_expires_on {{day}},
    added_at {{instant}} NOT NULL,
    removed_at {{instant}}
){{table}};
CREATE INDEX sources_by_user ON sources (user_id);

-- Sealed before it gets here; the sealing key is not in the database.
CREATE TABLE source_secrets (
    source_id {{int}} PRIMARY KEY REFERENCES sources (id),
    user_id {{int}} NOT NULL REFERENCES users (id),
    sealed {{bytes}} NOT NULL,
    stored_at {{instant}} NOT NULL
){{table}};

-- Each run says what it proved about days; the frontier is made of nothing else.
CREATE TABLE sync_runs (
    id {{id}},
    user_id {{int}} NOT NULL REFERENCES users (id),
    source_id {{int}} REFERENCES sources (id),
    kind TEXT NOT NULL CHECK (kind IN ('file', 'export', 'live', 'declared')),
    state TEXT NOT NULL CHECK (state IN ('running', 'done', 'partial', 'failed')),
    started_at {{instant}} NOT NULL,
    finished_at {{instant}},
    complete_through {{day}},
    open_day {{day}},
    summary {{json}} NOT NULL,
    problem TEXT,
    CONSTRAINT a_running_sync_proves_nothing
        CHECK (finished_at IS NOT NULL OR (complete_through IS NULL AND open_day IS NULL))
){{table}};
CREATE INDEX sync_runs_by_user ON sync_runs (user_id, started_at);

CREATE TABLE activities (
    id {{id}},
    user_id {{int}} NOT NULL REFERENCES users (id),
    identity TEXT NOT NULL,
    source_id {{int}} REFERENCES sources (id),
    sport TEXT NOT NULL,
    sub_sport TEXT,
    name TEXT,
    started_at {{instant}} NOT NULL,
    utc_offset_s {{int}} NOT NULL,
    day {{day}} NOT NULL,
    elapsed_ms {{int}},
    moving_ms {{int}},
    distance_mm {{int}},
    ascent_mm {{int}},
    descent_mm {{int}},
    avg_heart_rate {{int}},
    max_heart_rate {{int}},
    avg_power {{int}},
    max_power {{int}},
    avg_cadence {{real}},
    energy_kcal {{int}},
    load {{real}},
    device TEXT,
    imported_at {{instant}} NOT NULL,
    CONSTRAINT an_activity_is_stored_once UNIQUE (user_id, identity)
){{table}};
CREATE INDEX activities_by_day ON activities (user_id, day, id);

CREATE TABLE laps (
    activity_id {{int}} NOT NULL REFERENCES activities (id),
    user_id {{int}} NOT NULL REFERENCES users (id),
    number {{int}} NOT NULL,
    started_at {{instant}} NOT NULL,
    elapsed_ms {{int}},
    moving_ms {{int}},
    distance_mm {{int}},
    avg_heart_rate {{int}},
    max_heart_rate {{int}},
    avg_power {{int}},
    avg_cadence {{real}},
    kind TEXT,
    PRIMARY KEY (activity_id, number)
){{table}};

-- One compressed column per channel, never a row per second. 'moments' is the time axis.
CREATE TABLE streams (
    activity_id {{int}} NOT NULL REFERENCES activities (id),
    user_id {{int}} NOT NULL REFERENCES users (id),
    channel TEXT NOT NULL,
    samples {{int}} NOT NULL,
    packed {{bytes}} NOT NULL,
    PRIMARY KEY (activity_id, channel)
){{table}};

CREATE TABLE daily_wellness (
    user_id {{int}} NOT NULL REFERENCES users (id),
    day {{day}} NOT NULL,
    sleep_began_at {{instant}},
    sleep_ended_at {{instant}},
    asleep_ms {{int}},
    deep_ms {{int}},
    light_ms {{int}},
    rem_ms {{int}},
    awake_ms {{int}},
    sleep_score {{int}},
    resting_heart_rate {{int}},
    hrv_ms {{real}},
    stress_avg {{int}},
    stress_max {{int}},
    body_battery_high {{int}},
    body_battery_low {{int}},
    respiration {{real}},
    spo2 {{real}},
    weight_kg {{real}},
    steps {{int}},
    vo2max {{real}},
    PRIMARY KEY (user_id, day)
){{table}};

CREATE TABLE notes (
    id {{id}},
    user_id {{int}} NOT NULL REFERENCES users (id),
    day {{day}},
    author TEXT NOT NULL CHECK (author IN ('athlete', 'coach', 'mcp')),
    accepted {{bool}} NOT NULL,
    text TEXT NOT NULL,
    written_at {{instant}} NOT NULL
){{table}};
CREATE INDEX notes_by_user ON notes (user_id, id);

CREATE TABLE observations (
    id {{id}},
    user_id {{int}} NOT NULL REFERENCES users (id),
    kind TEXT NOT NULL CHECK (kind IN ('rpe', 'soreness', 'mood', 'illness', 'injury', 'away')),
    from_day {{day}} NOT NULL,
    through_day {{day}} NOT NULL,
    value {{int}},
    activity_id {{int}} REFERENCES activities (id),
    comment TEXT,
    author TEXT NOT NULL CHECK (author IN ('athlete', 'coach', 'mcp')),
    accepted {{bool}} NOT NULL,
    written_at {{instant}} NOT NULL,
    CONSTRAINT an_observation_runs_forward CHECK (through_day >= from_day)
){{table}};
CREATE INDEX observations_by_day ON observations (user_id, from_day);

-- A question put to a human: spent once, within ten minutes, on exactly what was asked.
CREATE TABLE confirmations (
    id {{id}},
    user_id {{int}} NOT NULL REFERENCES users (id),
    kind TEXT NOT NULL,
    plan_id {{int}},
    content_hash TEXT NOT NULL,
    nonce_hash TEXT NOT NULL UNIQUE,
    channel TEXT NOT NULL CHECK (channel IN ('web', 'terminal', 'demo')),
    opened_at {{instant}} NOT NULL,
    expires_at {{instant}} NOT NULL,
    spent_at {{instant}}
){{table}};
CREATE INDEX confirmations_by_user ON confirmations (user_id);

-- What only a human did. plan_id has no foreign key: the record outlives a deleted plan, and ids are never reused.
CREATE TABLE human_actions (
    id {{id}},
    user_id {{int}} NOT NULL REFERENCES users (id),
    kind TEXT NOT NULL
        CHECK (kind IN ('activate', 'archive', 'delete', 'apply', 'edit', 'revert', 'delete_user')),
    plan_id {{int}},
    replaces_id {{int}},
    proposal_id {{int}},
    confirmation_id {{int}} NOT NULL UNIQUE REFERENCES confirmations (id),
    channel TEXT NOT NULL CHECK (channel IN ('web', 'terminal', 'demo')),
    detail {{json}} NOT NULL,
    done_at {{instant}} NOT NULL,
    CONSTRAINT a_plan_action_names_its_plan CHECK ((kind = 'delete_user') = (plan_id IS NULL)),
    CONSTRAINT only_an_activation_replaces CHECK (replaces_id IS NULL OR kind = 'activate'),
    CONSTRAINT only_an_application_has_a_proposal CHECK ((kind = 'apply') = (proposal_id IS NOT NULL))
){{table}};
CREATE INDEX human_actions_by_plan ON human_actions (plan_id, kind);
CREATE INDEX human_actions_by_user ON human_actions (user_id, kind);

-- A plan is born a draft, becomes active when a human commits it, and is archived when it is put away or replaced.
CREATE TABLE training_plans (
    id {{id}},
    user_id {{int}} NOT NULL REFERENCES users (id),
    name TEXT NOT NULL DEFAULT 'Plan',
    goal TEXT NOT NULL CHECK (goal IN ('5k', '10k', 'half', 'full', 'custom')),
    distance_mm {{int}},
    race_date {{day}} NOT NULL,
    start_date {{day}} NOT NULL,
    target_time {{int}},
    status TEXT NOT NULL DEFAULT 'draft' CHECK (status IN ('draft', 'active', 'archived')),
    author TEXT NOT NULL DEFAULT 'athlete' CHECK (author IN ('athlete', 'coach', 'mcp')),
    content_hash TEXT NOT NULL DEFAULT '',
    revision {{int}} NOT NULL DEFAULT 0,
    superseded_by {{int}},
    created_at {{instant}} NOT NULL DEFAULT CURRENT_TIMESTAMP,
    activated_by {{int}} REFERENCES human_actions (id),
    activated_at {{instant}},
    archived_by {{int}} REFERENCES human_actions (id),
    archived_at {{instant}},
    CONSTRAINT an_active_plan_has_a_human_behind_it CHECK (status <> 'active' OR activated_by IS NOT NULL),
    CONSTRAINT an_archived_plan_has_a_human_behind_it
        CHECK (status <> 'archived' OR (activated_by IS NOT NULL AND archived_by IS NOT NULL)),
    CONSTRAINT a_draft_has_been_decided_by_nobody
        CHECK (status <> 'draft' OR (activated_by IS NULL AND archived_by IS NULL))
){{table}};
-- At most one active plan per athlete: the whole guarantee in one line.
CREATE UNIQUE INDEX one_active_plan_per_user ON training_plans (user_id) WHERE status = 'active';
CREATE UNIQUE INDEX an_activation_is_spent_once ON training_plans (activated_by);
CREATE UNIQUE INDEX an_archiving_is_spent_once ON training_plans (archived_by);
CREATE INDEX training_plans_by_user ON training_plans (user_id, id);

-- A whole state of a plan's workouts. 1 is the draft; every later one has a human action behind it.
CREATE TABLE plan_revisions (
    id {{id}},
    plan_id {{int}} NOT NULL REFERENCES training_plans (id),
    user_id {{int}} NOT NULL REFERENCES users (id),
    number {{int}} NOT NULL CHECK (number >= 1),
    origin TEXT NOT NULL CHECK (origin IN ('draft', 'apply', 'edit', 'revert')),
    made_by {{int}} UNIQUE REFERENCES human_actions (id),
    reason TEXT,
    content_hash TEXT NOT NULL,
    made_at {{instant}} NOT NULL,
    CONSTRAINT a_revision_number_is_used_once UNIQUE (plan_id, number),
    CONSTRAINT only_the_draft_has_no_human_behind_it
        CHECK ((number = 1) = (made_by IS NULL) AND (number = 1) = (origin = 'draft'))
){{table}};
CREATE INDEX plan_revisions_by_user ON plan_revisions (user_id);

-- What a workout is across revisions: nothing but its id.
CREATE TABLE workouts (
    id {{id}},
    plan_id {{int}} NOT NULL REFERENCES training_plans (id),
    user_id {{int}} NOT NULL REFERENCES users (id)
){{table}};
CREATE INDEX workouts_by_plan ON workouts (plan_id);
CREATE INDEX workouts_by_user ON workouts (user_id);

CREATE TABLE planned_workouts (
    id {{id}},
    plan_id {{int}} NOT NULL REFERENCES training_plans (id),
    user_id {{int}} NOT NULL REFERENCES users (id),
    revision {{int}} NOT NULL,
    position {{int}} NOT NULL,
    workout_id {{int}} NOT NULL REFERENCES workouts (id),
    date {{day}} NOT NULL,
    sport TEXT NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    distance_mm {{int}},
    duration_ms {{int}},
    load {{real}},
    intensity TEXT,
    description TEXT,
    is_key {{bool}} NOT NULL,
    steps {{json}} NOT NULL,
    CONSTRAINT a_workout_is_in_a_revision_once UNIQUE (plan_id, revision, workout_id),
    CONSTRAINT a_workout_belongs_to_a_revision
        FOREIGN KEY (plan_id, revision) REFERENCES plan_revisions (plan_id, number)
){{table}};
CREATE INDEX planned_workouts_by_user ON planned_workouts (user_id);

CREATE TABLE proposals (
    id {{id}},
    user_id {{int}} NOT NULL REFERENCES users (id),
    plan_id {{int}} NOT NULL REFERENCES training_plans (id),
    base_revision {{int}} NOT NULL,
    status TEXT NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'applied', 'declined')),
    author TEXT NOT NULL CHECK (author IN ('athlete', 'coach', 'mcp')),
    message TEXT NOT NULL,
    changes {{json}} NOT NULL,
    made_at {{instant}} NOT NULL,
    applied_by {{int}} UNIQUE REFERENCES human_actions (id),
    decided_at {{instant}},
    CONSTRAINT an_applied_proposal_has_a_human_behind_it CHECK ((status = 'applied') = (applied_by IS NOT NULL))
){{table}};
CREATE INDEX proposals_by_plan ON proposals (user_id, plan_id);

CREATE TABLE briefs (
    id {{id}},
    user_id {{int}} NOT NULL REFERENCES users (id),
    day {{day}} NOT NULL,
    written_at {{instant}} NOT NULL,
    model TEXT NOT NULL,
    prompt_version TEXT NOT NULL,
    schema_version TEXT NOT NULL,
    body {{json}} NOT NULL
){{table}};
CREATE INDEX briefs_by_day ON briefs (user_id, day, id);

-- The numbers a brief was given; the only numbers its prose may carry.
CREATE TABLE brief_facts (
    brief_id {{int}} NOT NULL REFERENCES briefs (id),
    user_id {{int}} NOT NULL REFERENCES users (id),
    fact_id TEXT NOT NULL,
    value {{json}} NOT NULL,
    source {{json}} NOT NULL,
    PRIMARY KEY (brief_id, fact_id)
){{table}};

CREATE TABLE chats (
    id {{id}},
    user_id {{int}} NOT NULL REFERENCES users (id),
    title TEXT NOT NULL,
    started_at {{instant}} NOT NULL
){{table}};
CREATE INDEX chats_by_user ON chats (user_id, id);

CREATE TABLE chat_messages (
    id {{id}},
    chat_id {{int}} NOT NULL REFERENCES chats (id),
    user_id {{int}} NOT NULL REFERENCES users (id),
    role TEXT NOT NULL CHECK (role IN ('athlete', 'coach', 'tool')),
    body {{json}} NOT NULL,
    model TEXT,
    said_at {{instant}} NOT NULL
){{table}};
CREATE INDEX chat_messages_by_chat ON chat_messages (chat_id, id);

CREATE TABLE jobs (
    id {{id}},
    user_id {{int}} NOT NULL REFERENCES users (id),
    kind TEXT NOT NULL,
    payload {{json}} NOT NULL,
    state TEXT NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'running', 'done', 'failed')),
    attempts {{int}} NOT NULL DEFAULT 0,
    run_at {{instant}} NOT NULL,
    claimed_by TEXT,
    claimed_until {{instant}},
    problem TEXT,
    finished_at {{instant}}
){{table}};
CREATE INDEX jobs_to_run ON jobs (state, run_at);

-- Every state change, in its own transaction, chained by hash: seq and prev_hash are checked on insert.
CREATE TABLE audit_log (
    id {{id}},
    user_id {{int}} NOT NULL REFERENCES users (id),
    seq {{int}} NOT NULL,
    at {{instant}} NOT NULL,
    actor TEXT NOT NULL CHECK (actor IN ('human', 'coach', 'mcp', 'system')),
    action TEXT NOT NULL,
    object TEXT NOT NULL,
    before_hash TEXT,
    after_hash TEXT,
    prev_hash TEXT NOT NULL,
    hash TEXT NOT NULL,
    CONSTRAINT an_audit_entry_has_one_place UNIQUE (user_id, seq)
){{table}};
