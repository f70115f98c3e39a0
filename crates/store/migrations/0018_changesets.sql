-- When a member's role was given. Null for roles from before.
ALTER TABLE members ADD COLUMN role_given_at {time};

CREATE TABLE changesets (
    org_id {uuid} NOT NULL REFERENCES orgs (id),
    id {uuid} NOT NULL,
    reason {text},
    PRIMARY KEY (org_id, id)
) {tenant};

-- What an executed changeset did, in order, with images.
CREATE TABLE changeset_effects (
    org_id {uuid} NOT NULL,
    changeset_id {uuid} NOT NULL,
    position {int} NOT NULL,
    kind {text} NOT NULL,
    record_id {uuid} NOT NULL,
    verb {text} NOT NULL,
    before {text},
    after {text},
    PRIMARY KEY (org_id, changeset_id, position)
) {tenant};

-- The teams that a message about changed games is about, and the child through whom they concern the recipient. It is checked again when the
-- message is sent. Purged with the message, and erased with the child.
CREATE TABLE mail_teams (
    org_id {uuid} NOT NULL REFERENCES orgs (id),
    mail_id {uuid} NOT NULL REFERENCES mail (id) ON DELETE CASCADE,
    child_id {uuid} NOT NULL,
    team_id {uuid} NOT NULL,
    user_id {uuid} NOT NULL,
    starts_on {date} NOT NULL,
    ends_on {date},
    PRIMARY KEY (org_id, mail_id, child_id, team_id, starts_on),
    FOREIGN KEY (org_id, child_id) REFERENCES children (org_id, id) ON DELETE CASCADE
) {tenant};
CREATE INDEX mail_teams_by_mail ON mail_teams (mail_id);
CREATE INDEX mail_teams_by_child ON mail_teams (org_id, child_id);
CREATE INDEX mail_by_record ON mail (record_id) WHERE kind = 'games_changed';
