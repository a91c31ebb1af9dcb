#!/bin/sh
# Runs once, when compose.yaml creates the database. Creates a role that owns one database and has no
# other privileges, and removes the superuser's password so that it cannot log in over the network.
# `docker compose exec postgres psql --username postgres` still works.
set -eu
role=${FITNESS_DB_USER:-fitness}
psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname postgres \
    --set role="$role" --set password="$FITNESS_DB_PASSWORD" --set admin="$POSTGRES_USER" <<'SQL'
CREATE ROLE :"role" LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS PASSWORD :'password';
CREATE DATABASE :"role" OWNER :"role";
REVOKE ALL ON DATABASE :"role" FROM PUBLIC;
ALTER ROLE :"admin" PASSWORD NULL;
SQL
