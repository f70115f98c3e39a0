-- Invitations to be a child's guardian. The address is sealed with the child's key.

CREATE TABLE guardian_invitations (
    org_id {uuid} NOT NULL,
    id {uuid} NOT NULL,
    child_id {uuid} NOT NULL,
    email {bytes} NOT NULL,
    invited_by {uuid} NOT NULL REFERENCES users (id),
    sent_at {time} NOT NULL,
    expires_at {time} NOT NULL,
    accepted_at {time},
    relation_id {uuid},
    revoked_at {time},
    mail_failed_at {time},
    created_at {time} NOT NULL,
    updated_at {time} NOT NULL,
    version {int} NOT NULL,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, child_id) REFERENCES children (org_id, id),
    FOREIGN KEY (org_id, relation_id) REFERENCES relations (org_id, id)
) {tenant};
CREATE INDEX guardian_invitations_by_child ON guardian_invitations (org_id, child_id, created_at, id);
CREATE INDEX guardian_invitations_by_sender ON guardian_invitations (org_id, invited_by, created_at);
CREATE INDEX guardian_invitations_by_relation ON guardian_invitations (org_id, relation_id);
