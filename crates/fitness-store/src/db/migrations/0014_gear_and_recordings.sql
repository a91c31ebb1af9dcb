-- Each source's own recording, for an activity of which several sources have one. The activity's streams are merged from these.
CREATE TABLE record_streams (
    user_id {{int}} NOT NULL REFERENCES users (id),
    kind TEXT NOT NULL,
    external_id TEXT NOT NULL,
    channel TEXT NOT NULL,
    samples {{int}} NOT NULL,
    packed {{bytes}} NOT NULL,
    PRIMARY KEY (user_id, kind, external_id, channel)
){{table}};

-- The version of the rules by which the source records of this user were grouped into activities.
ALTER TABLE derivations ADD COLUMN merge_rules {{int}} NOT NULL DEFAULT 1;

-- Shoes, bikes and other equipment. Its distance is computed from activities and never stored.
CREATE TABLE gear (
    id {{id}},
    user_id {{int}} NOT NULL REFERENCES users (id),
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    -- Distance before the first activity here.
    initial_mm {{int}} NOT NULL CHECK (initial_mm >= 0),
    retire_at_mm {{int}} CHECK (retire_at_mm > 0),
    retired_on {{day}},
    added_at {{instant}} NOT NULL
){{table}};
CREATE INDEX gear_by_user ON gear (user_id);

-- The gear of a sport from a day on; without gear from a day on if gear_id is null.
CREATE TABLE gear_defaults (
    user_id {{int}} NOT NULL REFERENCES users (id),
    sport TEXT NOT NULL,
    from_day {{day}} NOT NULL,
    gear_id {{int}} REFERENCES gear (id),
    PRIMARY KEY (user_id, sport, from_day)
){{table}};

-- The gear that the athlete chose for an activity; none if gear_id is null.
CREATE TABLE activity_gear (
    activity_id {{int}} PRIMARY KEY REFERENCES activities (id),
    user_id {{int}} NOT NULL REFERENCES users (id),
    gear_id {{int}} REFERENCES gear (id)
){{table}};
CREATE INDEX activity_gear_by_gear ON activity_gear (gear_id);
