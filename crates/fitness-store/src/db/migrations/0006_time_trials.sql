-- How a result was run: in a race, or all out but alone.
ALTER TABLE races ADD COLUMN effort TEXT NOT NULL DEFAULT 'race';
