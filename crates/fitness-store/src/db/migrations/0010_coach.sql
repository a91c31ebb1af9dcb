-- What a model took and cost, one row for each time it was asked: what the caps of a day are counted by.
CREATE TABLE spendings (
    id {{id}},
    user_id {{int}} NOT NULL REFERENCES users (id),
    day {{day}} NOT NULL,
    at {{instant}} NOT NULL,
    purpose TEXT NOT NULL,
    model TEXT NOT NULL,
    input_tokens {{int}} NOT NULL CHECK (input_tokens >= 0),
    cache_write_tokens {{int}} NOT NULL CHECK (cache_write_tokens >= 0),
    cache_read_tokens {{int}} NOT NULL CHECK (cache_read_tokens >= 0),
    output_tokens {{int}} NOT NULL CHECK (output_tokens >= 0),
    -- Millionths of a US dollar; NULL where nobody knows.
    cost_micros {{int}} CHECK (cost_micros >= 0)
){{table}};
CREATE INDEX spendings_by_user ON spendings (user_id, day);

-- What a brief cost, and why another wrote it than was asked.
ALTER TABLE briefs ADD COLUMN cost_micros {{int}};
ALTER TABLE briefs ADD COLUMN fell_back TEXT;
