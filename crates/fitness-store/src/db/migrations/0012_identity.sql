-- Which database this is: made up once, and in the beginning of each of its backups, so that those in one folder can be told
-- apart. It is nobody's data: no backup and no export brings it into another database.
CREATE TABLE database_identity (
    identity TEXT PRIMARY KEY
){{table}};
