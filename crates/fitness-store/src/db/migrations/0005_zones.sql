-- Zones know who says so, as thresholds do. Until now only sources could.
CREATE TABLE dated_zones (
    user_id {{int}} NOT NULL REFERENCES users (id),
    kind TEXT NOT NULL,
    sport TEXT NOT NULL,
    from_day {{day}} NOT NULL,
    origin TEXT NOT NULL,
    lower_bounds {{json}} NOT NULL,
    PRIMARY KEY (user_id, kind, sport, from_day, origin)
){{table}};
INSERT INTO dated_zones (user_id, kind, sport, from_day, origin, lower_bounds)
    SELECT user_id, kind, sport, from_day, 'reported', lower_bounds FROM zones;
DROP TABLE zones;
ALTER TABLE dated_zones RENAME TO zones;

-- Which activities were removed is asked whenever something is worked out.
CREATE INDEX removed_activities ON activities (user_id, id) WHERE deleted_at IS NOT NULL;
