-- A link that signs a browser in once, soon after it was made. Only its hash is kept.
CREATE TABLE sign_ins (
    id {{id}},
    user_id {{int}} NOT NULL REFERENCES users (id),
    token_hash TEXT NOT NULL UNIQUE,
    made_at {{instant}} NOT NULL,
    expires_at {{instant}} NOT NULL,
    spent_at {{instant}}
){{table}};
CREATE INDEX sign_ins_by_user ON sign_ins (user_id);

-- The private address of an athlete's calendar: one each, and a new one ends the old. Only its hash is kept.
CREATE TABLE calendar_feeds (
    user_id {{int}} PRIMARY KEY REFERENCES users (id),
    token_hash TEXT NOT NULL UNIQUE,
    made_at {{instant}} NOT NULL
){{table}};
