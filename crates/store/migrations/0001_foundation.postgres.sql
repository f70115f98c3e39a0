
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
