-- Changesets. Their operations, simulations and effects are rows of their own. What is about a child is sealed with the child's key.

CREATE TABLE changesets (
    org_id {uuid} NOT NULL REFERENCES orgs (id),
    id {uuid} NOT NULL,
    kind {text} NOT NULL,
    title {text} NOT NULL,
    reason {text},
    state {text} NOT NULL,
    author_id {uuid} NOT NULL REFERENCES users (id),
    author_key_id {uuid},
    by_agent {bool} NOT NULL,
    operation_count {int} NOT NULL,
    drift_policy {text} NOT NULL,
    simulation_id {uuid},
    simulation_hash {text},
    simulated_at {time},
    risk {text},
    approvals {text} NOT NULL,
    required_approvals {int},
    approver_role {int},
    reduced_approval {bool} NOT NULL,
    not_before {time},
    submitted_at {time},
    schedule_at {time},
    expires_at {time},
    executed_at {time},
    executed_by {uuid},
    entry_id {uuid},
    undo_of {uuid},
    undone_by {uuid},
    created_at {time} NOT NULL,
    updated_at {time} NOT NULL,
    version {int} NOT NULL,
    PRIMARY KEY (org_id, id)
) {tenant};
CREATE INDEX changesets_by_creation ON changesets (org_id, created_at, id);
CREATE INDEX changesets_by_author ON changesets (org_id, author_id, created_at, id);
CREATE INDEX changesets_by_submission ON changesets (org_id, author_id, submitted_at);
CREATE INDEX changesets_by_state ON changesets (org_id, state, created_at, id);
CREATE INDEX changesets_by_end ON changesets (org_id, expires_at);

-- Where the operations come from: the salt of ids and hashes, what an undo undoes and how its conflicts are resolved, the file of an import.
CREATE TABLE changeset_sources (
    org_id {uuid} NOT NULL,
    changeset_id {uuid} NOT NULL,
    salt {bytes} NOT NULL,
    undo_of {text},
    resolutions {text} NOT NULL,
    file {text},
    file_options {text},
    PRIMARY KEY (org_id, changeset_id),
    FOREIGN KEY (org_id, changeset_id) REFERENCES changesets (org_id, id)
) {tenant};

CREATE TABLE changeset_operations (
    org_id {uuid} NOT NULL,
    changeset_id {uuid} NOT NULL,
    position {int} NOT NULL,
    body {text} NOT NULL,
    child_id {uuid},
    PRIMARY KEY (org_id, changeset_id, position),
    FOREIGN KEY (org_id, changeset_id) REFERENCES changesets (org_id, id)
) {tenant};

CREATE TABLE changeset_simulations (
    org_id {uuid} NOT NULL,
    id {uuid} NOT NULL,
    changeset_id {uuid} NOT NULL,
    hash {text},
    effect_digest {text} NOT NULL,
    at {time} NOT NULL,
    impact {text} NOT NULL,
    facts {text} NOT NULL,
    pins {text} NOT NULL,
    conflicts {text} NOT NULL,
    warnings {text} NOT NULL,
    problems {text} NOT NULL,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, changeset_id) REFERENCES changesets (org_id, id)
) {tenant};
CREATE INDEX changeset_simulations_by_time ON changeset_simulations (org_id, changeset_id, at, id);

CREATE TABLE changeset_effects (
    org_id {uuid} NOT NULL,
    simulation_id {uuid} NOT NULL,
    position {int} NOT NULL,
    kind {text} NOT NULL,
    record_id {uuid} NOT NULL,
    verb {text} NOT NULL,
    cause {text} NOT NULL,
    operation {int} NOT NULL,
    before {text},
    after {text},
    child_id {uuid},
    digest {text} NOT NULL,
    PRIMARY KEY (org_id, simulation_id, position),
    FOREIGN KEY (org_id, simulation_id) REFERENCES changeset_simulations (org_id, id)
) {tenant};

CREATE TABLE changeset_events (
    org_id {uuid} NOT NULL,
    changeset_id {uuid} NOT NULL,
    position {int} NOT NULL,
    at {time} NOT NULL,
    event {text} NOT NULL,
    user_id {uuid},
    key_id {uuid},
    simulation_hash {text},
    reason {text},
    PRIMARY KEY (org_id, changeset_id, position),
    FOREIGN KEY (org_id, changeset_id) REFERENCES changesets (org_id, id)
) {tenant};

-- The entry of a changeset, to undo it.
CREATE INDEX ledger_entries_by_changeset ON ledger_entries (org_id, changeset_id) WHERE changeset_id IS NOT NULL;

-- When a member's role was given. Null for roles from before.
ALTER TABLE members ADD COLUMN role_given_at {time};

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
