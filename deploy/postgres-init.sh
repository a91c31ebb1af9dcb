#!/bin/sh
# Runs once, when the database of compose.yaml is made: a role that owns one database and has no other right. The superuser of the
# server loses its password, so that nobody reaches it over the network; `docker compose exec postgres psql --username postgres` still does.
set -eu
role=${FITNESS_DB_USER:-fitness}
psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname postgres \
    --set role="$role" --set password="$FITNESS_DB_PASSWORD" --set admin="$POSTGRES_USER" <<'SQL'
CREATE ROLE :"role" LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS PASSWORD :'password';
CREATE DATABASE :"role" OWNER :"role";
REVOKE ALL ON DATABASE :"role" FROM PUBLIC;
ALTER ROLE :"admin" PASSWORD NULL;
SQL
