-- What sources say, kept as they said it. The activities and days an athlete sees are put together from these.

-- Files as they were given, compressed; they come back on export.
CREATE TABLE originals (
    id {{id}},
    user_id {{int}} NOT NULL REFERENCES users (id),
    sha256 TEXT NOT NULL,
    name TEXT NOT NULL,
    size {{int}} NOT NULL,
    packed {{bytes}} NOT NULL,
    kept_at {{instant}} NOT NULL,
    CONSTRAINT a_file_is_kept_once UNIQUE (user_id, sha256)
){{table}};

ALTER TABLE activities ADD COLUMN race {{bool}} NOT NULL DEFAULT {{false}};
ALTER TABLE activities ADD COLUMN flaws {{json}};
-- What the athlete changed by hand, and whether they removed it: no import undoes either.
ALTER TABLE activities ADD COLUMN edit {{json}};
ALTER TABLE activities ADD COLUMN deleted_at {{instant}};

-- One source's word about one activity. The outline is compressed JSON; raw is the source's own text.
CREATE TABLE activity_reports (
    id {{id}},
    user_id {{int}} NOT NULL REFERENCES users (id),
    activity_id {{int}} NOT NULL REFERENCES activities (id),
    source_id {{int}} REFERENCES sources (id),
    original_id {{int}} REFERENCES originals (id),
    kind TEXT NOT NULL,
    external_id TEXT NOT NULL,
    started_at {{instant}} NOT NULL,
    outline {{bytes}} NOT NULL,
    content_hash TEXT NOT NULL,
    -- How new the export is that says so; of two that differ the newer stands.
    edition {{day}},
    raw {{bytes}},
    told_at {{instant}} NOT NULL,
    CONSTRAINT a_report_is_kept_once UNIQUE (user_id, kind, external_id)
){{table}};
CREATE INDEX activity_reports_by_start ON activity_reports (user_id, started_at);
CREATE INDEX activity_reports_by_activity ON activity_reports (activity_id);
CREATE INDEX activity_reports_by_original ON activity_reports (original_id);

-- Pool lengths, strength sets and heartbeats, as compressed JSON.
CREATE TABLE activity_details (
    activity_id {{int}} PRIMARY KEY REFERENCES activities (id),
    user_id {{int}} NOT NULL REFERENCES users (id),
    packed {{bytes}} NOT NULL
){{table}};

-- One source's word about one day, dataset by dataset.
CREATE TABLE day_reports (
    user_id {{int}} NOT NULL REFERENCES users (id),
    day {{day}} NOT NULL,
    kind TEXT NOT NULL,
    part TEXT NOT NULL,
    reported {{json}} NOT NULL,
    as_of {{instant}},
    content_hash TEXT NOT NULL,
    edition {{day}},
    raw {{bytes}},
    PRIMARY KEY (user_id, day, kind, part)
){{table}};

-- What a watch or a service concluded by rules of its own.
CREATE TABLE estimates (
    user_id {{int}} NOT NULL REFERENCES users (id),
    day {{day}} NOT NULL,
    kind TEXT NOT NULL,
    value {{json}} NOT NULL,
    told_at {{instant}},
    PRIMARY KEY (user_id, day, kind)
){{table}};

-- Files and archives that were read to their end, so that the same one again costs a look at its hash.
CREATE TABLE finished_imports (
    user_id {{int}} NOT NULL REFERENCES users (id),
    sha256 TEXT NOT NULL,
    reader TEXT NOT NULL,
    finished_at {{instant}} NOT NULL,
    PRIMARY KEY (user_id, sha256, reader)
){{table}};

-- Race results the athlete confirmed or typed in, and likely ones they said were none.
CREATE TABLE races (
    id {{id}},
    user_id {{int}} NOT NULL REFERENCES users (id),
    activity_id {{int}} REFERENCES activities (id),
    day {{day}} NOT NULL,
    name TEXT NOT NULL,
    distance_mm {{int}} NOT NULL CHECK (distance_mm > 0),
    time_ms {{int}} NOT NULL CHECK (time_ms > 0),
    confirmed {{bool}} NOT NULL,
    decided_at {{instant}} NOT NULL,
    CONSTRAINT an_activity_is_one_race UNIQUE (user_id, activity_id)
){{table}};
CREATE INDEX races_by_day ON races (user_id, day);
