-- SQLite stores guests by their ids. Before, a second B-tree had the ids.

{on_sqlite}PRAGMA defer_foreign_keys = ON;
{on_sqlite}CREATE TABLE guests_before AS SELECT * FROM guests;
{on_sqlite}DROP TABLE guests;
{on_sqlite}CREATE TABLE guests (
{on_sqlite}    id {uuid} NOT NULL PRIMARY KEY,
{on_sqlite}    token_digest {bytes} NOT NULL UNIQUE,
{on_sqlite}    created_at {time} NOT NULL,
{on_sqlite}    expires_at {time} NOT NULL
{on_sqlite}) {reference_without_rowid};
{on_sqlite}CREATE INDEX guests_by_expiry ON guests (expires_at);
{on_sqlite}INSERT INTO guests (id, token_digest, created_at, expires_at)
{on_sqlite}    SELECT id, token_digest, created_at, expires_at FROM guests_before ORDER BY id;
{on_sqlite}DROP TABLE guests_before;
