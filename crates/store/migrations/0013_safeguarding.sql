-- Restrictions whose reason and document are sealed. Nothing has written the table before.

DROP TABLE restrictions;

-- `class_bits` has a bit for each closed class.
CREATE TABLE restrictions (
    org_id {uuid} NOT NULL,
    id {uuid} NOT NULL,
    child_id {uuid} NOT NULL,
    user_id {uuid} REFERENCES users (id),
    classes {text} NOT NULL,
    kind {text} NOT NULL,
    reason {bytes} NOT NULL,
    document_ref {bytes} NOT NULL,
    starts_at {time} NOT NULL,
    entered_by {uuid},
    lifted_at {time},
    lifted_by {uuid},
    created_at {time} NOT NULL,
    updated_at {time} NOT NULL,
    version {int} NOT NULL,
    class_bits {int} NOT NULL,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, child_id) REFERENCES children (org_id, id)
) {tenant};
CREATE INDEX restrictions_by_child ON restrictions (org_id, child_id, created_at, id);
