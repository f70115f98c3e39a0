-- Who exported the organization, and whether the link was opened.

CREATE TABLE exports (
    org_id {uuid} NOT NULL REFERENCES orgs (id),
    id {uuid} NOT NULL,
    kind {text} NOT NULL,
    requested_by {uuid} NOT NULL REFERENCES users (id),
    expires_at {time} NOT NULL,
    opened_at {time},
    created_at {time} NOT NULL,
    updated_at {time} NOT NULL,
    version {int} NOT NULL,
    PRIMARY KEY (org_id, id)
) {tenant};
