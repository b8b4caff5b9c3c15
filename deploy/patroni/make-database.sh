#!/bin/sh
# Patroni runs this on the first node of a new cluster, with an address of its superuser. The password of the daemon's role is
# the content of the file DATABASE_PASSWORD_FILE.
set -eu
psql "$1" --set=ON_ERROR_STOP=1 --set=password="$(cat "$DATABASE_PASSWORD_FILE")" <<'SQL'
create role tokendrop login password :'password';
create database tokendrop owner tokendrop;
SQL
