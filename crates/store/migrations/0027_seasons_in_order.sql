-- SQLite stores seasons in the order of their list. Before, an index had almost the whole row again. What the list reads comes first.

{on_sqlite}PRAGMA defer_foreign_keys = ON;
{on_sqlite}CREATE TABLE seasons_before AS SELECT * FROM seasons;
{on_sqlite}DROP TABLE seasons;
{on_sqlite}CREATE TABLE seasons (
{on_sqlite}    org_id {uuid} NOT NULL REFERENCES orgs (id),
{on_sqlite}    listed_on {date} NOT NULL,
{on_sqlite}    id {uuid} NOT NULL,
{on_sqlite}    version {int} NOT NULL,
{on_sqlite}    ends_on {date},
{on_sqlite}    status {text} NOT NULL,
{on_sqlite}    sport {text} NOT NULL,
{on_sqlite}    shown {text} NOT NULL DEFAULT '',
{on_sqlite}    divisions {text} NOT NULL DEFAULT '[]',
{on_sqlite}    name {text} NOT NULL,
{on_sqlite}    name_folded {text} NOT NULL,
{on_sqlite}    starts_on {date},
{on_sqlite}    time_zone {text} NOT NULL,
{on_sqlite}    scoring {text} NOT NULL,
{on_sqlite}    tiebreakers {text} NOT NULL,
{on_sqlite}    external_id {text},
{on_sqlite}    created_at {time} NOT NULL,
{on_sqlite}    updated_at {time} NOT NULL,
{on_sqlite}    PRIMARY KEY (org_id, listed_on, id),
{on_sqlite}    UNIQUE (org_id, id),
{on_sqlite}    CONSTRAINT seasons__name UNIQUE (org_id, name_folded)
{on_sqlite}) {tenant};
{on_sqlite}CREATE UNIQUE INDEX seasons__external_id ON seasons (org_id, external_id) WHERE external_id IS NOT NULL;
{on_sqlite}INSERT INTO seasons (org_id, listed_on, id, version, ends_on, status, sport, shown, divisions, name, name_folded, starts_on,
{on_sqlite}        time_zone, scoring, tiebreakers, external_id, created_at, updated_at)
{on_sqlite}    SELECT org_id, listed_on, id, version, ends_on, status, sport, shown, divisions, name, name_folded, starts_on,
{on_sqlite}        time_zone, scoring, tiebreakers, external_id, created_at, updated_at
{on_sqlite}    FROM seasons_before ORDER BY org_id, listed_on, id;
{on_sqlite}DROP TABLE seasons_before;
