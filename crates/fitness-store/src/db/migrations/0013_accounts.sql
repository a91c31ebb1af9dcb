-- When the athlete showed in this browser that it is them: by the password, or by a code that a terminal showed. Until then a
-- session reads and writes, and decides nothing. Sessions of athletes with a password were opened with it.
ALTER TABLE sessions ADD COLUMN confirmed_at {{instant}};
UPDATE sessions SET confirmed_at = opened_at WHERE user_id IN (SELECT user_id FROM credentials);

-- A short code that a terminal showed, to be typed into a signed-in browser. One for each athlete, as a slow hash.
CREATE TABLE session_codes (
    user_id {{int}} PRIMARY KEY REFERENCES users (id),
    code_hash TEXT NOT NULL,
    tries_left {{int}} NOT NULL CHECK (tries_left >= 0),
    made_at {{instant}} NOT NULL,
    expires_at {{instant}} NOT NULL
){{table}};

-- Who runs this server, once that was handed over. Without a row it is the first user.
CREATE TABLE ownerships (
    user_id {{int}} PRIMARY KEY REFERENCES users (id),
    since {{instant}} NOT NULL
){{table}};
