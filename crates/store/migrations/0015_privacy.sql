-- Requests of families about a child's data. They outlive the child's record, which an erasure deletes.

CREATE TABLE privacy_requests (
    org_id {uuid} NOT NULL REFERENCES orgs (id),
    id {uuid} NOT NULL,
    child_id {uuid} NOT NULL,
    kind {text} NOT NULL,
    details {text},
    requested_by {uuid} NOT NULL REFERENCES users (id),
    due_at {time} NOT NULL,
    state {text} NOT NULL,
    decided_by {uuid},
    decided_at {time},
    decided_alone {bool} NOT NULL,
    reason {text},
    created_at {time} NOT NULL,
    updated_at {time} NOT NULL,
    version {int} NOT NULL,
    PRIMARY KEY (org_id, id)
) {tenant};
CREATE INDEX privacy_requests_by_creation ON privacy_requests (org_id, created_at, id);
CREATE INDEX privacy_requests_by_requester ON privacy_requests (org_id, requested_by, created_at, id);
CREATE INDEX privacy_requests_by_child ON privacy_requests (org_id, child_id, created_at, id);
CREATE INDEX privacy_requests_by_state ON privacy_requests (org_id, state, kind, updated_at);
CREATE UNIQUE INDEX privacy_requests__kind ON privacy_requests (org_id, child_id, requested_by, kind)
    WHERE state <> 'refused' AND state <> 'done';

-- An export of one child. Exports are purged after their link has expired.
ALTER TABLE exports ADD COLUMN child_id {uuid};
CREATE INDEX exports_by_end ON exports (org_id, expires_at);

-- Sessions are purged after their end.
CREATE INDEX sessions_by_end ON sessions (org_id, expires_at);
