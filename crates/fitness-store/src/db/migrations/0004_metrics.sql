-- What was worked out. Every row here can be dropped and made again from the rest: `fitness recompute`.

-- How far it is worked out, and from which day on something has changed since. 'touched' counts the changes, so that
-- what was worked out from older data is noticed.
CREATE TABLE derivations (
    user_id {{int}} PRIMARY KEY REFERENCES users (id),
    stale_from {{day}},
    settled_through {{day}},
    touched {{int}} NOT NULL
){{table}};

-- 'measures' is what the samples say, 'judged' what that means by the limits in force on its day, 'clues' what it
-- suggests about those limits.
CREATE TABLE activity_metrics (
    activity_id {{int}} PRIMARY KEY REFERENCES activities (id),
    user_id {{int}} NOT NULL REFERENCES users (id),
    version {{int}} NOT NULL,
    clues {{json}} NOT NULL,
    measures {{bytes}} NOT NULL,
    judged {{bytes}}
){{table}};
-- What is not measured yet is found in the index alone: the rows are long.
CREATE INDEX activity_metrics_by_version ON activity_metrics (user_id, version, activity_id);

-- The columns are for lines over years; 'packed' is everything about the day.
CREATE TABLE daily_metrics (
    user_id {{int}} NOT NULL REFERENCES users (id),
    day {{day}} NOT NULL,
    load {{real}},
    fitness {{real}},
    fatigue {{real}},
    form {{real}} NOT NULL,
    recovery {{int}},
    packed {{bytes}} NOT NULL,
    PRIMARY KEY (user_id, day)
){{table}};

-- How long the athlete wants to sleep.
ALTER TABLE profiles ADD COLUMN sleep_need_ms {{int}};

-- How far the load can be leaned on.
ALTER TABLE activities ADD COLUMN load_quality TEXT;
