
-- Entries that wait to be posted to the ledger, in the order in which their transactions wrote them.
CREATE TABLE journal (
    org_id {uuid} NOT NULL,
    n BIGINT GENERATED ALWAYS AS IDENTITY (CACHE 1),
    at {time} NOT NULL,
    entry {text} NOT NULL,
    PRIMARY KEY (org_id, n)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
-- Images are read once, a moment later: compressing them would cost more than it saves.
ALTER TABLE journal ALTER COLUMN entry SET STORAGE EXTERNAL;

-- No entry of an organization with a number up to `floor` waits or can still be committed. Queries of the journal start above it, so that
-- they do not visit the dead rows of posted entries, which a long transaction (such as a backup) keeps PostgreSQL from removing. `mark`
-- becomes the next floor when all transactions before `mark_xid` have ended.
CREATE TABLE journal_floors (
    org_id {uuid} PRIMARY KEY,
    floor BIGINT NOT NULL,
    mark BIGINT NOT NULL,
    mark_xid BIGINT NOT NULL,
    marked_at TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp()
);
