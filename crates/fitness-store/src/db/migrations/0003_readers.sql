-- Which reader read a kept file last: a newer one, or another zone for files without a clock, reads it again.
ALTER TABLE originals ADD COLUMN reader TEXT NOT NULL DEFAULT '';
