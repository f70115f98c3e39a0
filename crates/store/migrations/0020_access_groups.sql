-- Who saw data of a child, except the child and its guardians. A read is one row; the children whom it showed are a group, which is stored
-- once however often the same people see the same children together. No group changes.

CREATE TABLE access_groups (
    org_id {uuid} NOT NULL,
    id {uuid} NOT NULL,
    child_id {uuid} NOT NULL,
    capacity {text} NOT NULL,
    PRIMARY KEY (org_id, id, child_id)
) {tenant};
CREATE INDEX access_groups_by_child ON access_groups (org_id, child_id, id);

CREATE TABLE access_reads (
    org_id {uuid} NOT NULL,
    group_id {uuid} NOT NULL,
    at {time} NOT NULL,
    id {uuid} NOT NULL,
    user_id {uuid} NOT NULL REFERENCES users (id),
    key_id {uuid},
    class {text} NOT NULL,
    operation {text} NOT NULL,
    PRIMARY KEY (org_id, group_id, at, id)
) {tenant};
CREATE INDEX access_reads_by_time ON access_reads (org_id, at);

-- Each earlier read keeps a group of its own.
INSERT INTO access_groups (org_id, id, child_id, capacity) SELECT org_id, id, child_id, capacity FROM access_events;
INSERT INTO access_reads (org_id, group_id, at, id, user_id, key_id, class, operation)
    SELECT DISTINCT org_id, id, at, id, user_id, key_id, class, operation FROM access_events;
DROP TABLE access_events;
