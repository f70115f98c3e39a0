-- Children, what opens their data, and where they play. Data that is more than a roster and a profile show is sealed: see `sealing.rs`.

CREATE TABLE children (
    org_id {uuid} NOT NULL REFERENCES orgs (id),
    id {uuid} NOT NULL,
    display_name {text} NOT NULL,
    birth_year {int} NOT NULL,
    photo_url {text},
    pronouns {text},
    created_at {time} NOT NULL,
    updated_at {time} NOT NULL,
    version {int} NOT NULL,
    name_folded {text} NOT NULL,
    PRIMARY KEY (org_id, id)
) {tenant};

-- The key of each child, wrapped by a secret of the key ring. Deleting it erases what it sealed.
CREATE TABLE child_keys (
    org_id {uuid} NOT NULL,
    child_id {uuid} NOT NULL,
    wrapped {bytes} NOT NULL,
    PRIMARY KEY (org_id, child_id)
) {tenant};

CREATE TABLE child_identities (
    org_id {uuid} NOT NULL,
    id {uuid} NOT NULL,
    legal_first_name {bytes} NOT NULL,
    legal_last_name {bytes} NOT NULL,
    birth_date {bytes} NOT NULL,
    created_at {time} NOT NULL,
    updated_at {time} NOT NULL,
    version {int} NOT NULL,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, id) REFERENCES children (org_id, id)
) {tenant};

CREATE TABLE child_contacts (
    org_id {uuid} NOT NULL,
    id {uuid} NOT NULL,
    emails {bytes} NOT NULL,
    phones {bytes} NOT NULL,
    address {bytes} NOT NULL,
    emergency_contacts {bytes} NOT NULL,
    created_at {time} NOT NULL,
    updated_at {time} NOT NULL,
    version {int} NOT NULL,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, id) REFERENCES children (org_id, id)
) {tenant};

CREATE TABLE child_emergencies (
    org_id {uuid} NOT NULL,
    id {uuid} NOT NULL,
    allergies {bytes} NOT NULL,
    conditions {bytes} NOT NULL,
    medications {bytes} NOT NULL,
    instructions {bytes} NOT NULL,
    created_at {time} NOT NULL,
    updated_at {time} NOT NULL,
    version {int} NOT NULL,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, id) REFERENCES children (org_id, id)
) {tenant};

CREATE TABLE child_medical (
    org_id {uuid} NOT NULL,
    id {uuid} NOT NULL,
    conditions {bytes} NOT NULL,
    medications {bytes} NOT NULL,
    insurance {bytes} NOT NULL,
    physician {bytes} NOT NULL,
    notes {bytes} NOT NULL,
    created_at {time} NOT NULL,
    updated_at {time} NOT NULL,
    version {int} NOT NULL,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, id) REFERENCES children (org_id, id)
) {tenant};

CREATE TABLE child_performances (
    org_id {uuid} NOT NULL,
    id {uuid} NOT NULL,
    position {bytes} NOT NULL,
    notes {bytes} NOT NULL,
    metrics {bytes} NOT NULL,
    created_at {time} NOT NULL,
    updated_at {time} NOT NULL,
    version {int} NOT NULL,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, id) REFERENCES children (org_id, id)
) {tenant};

-- `capacity` is a bit of the capacity in which the person opens the child's data.
CREATE TABLE relations (
    org_id {uuid} NOT NULL,
    id {uuid} NOT NULL,
    child_id {uuid} NOT NULL,
    user_id {uuid} NOT NULL REFERENCES users (id),
    kind {text} NOT NULL,
    state {text} NOT NULL,
    starts_at {time} NOT NULL,
    expires_at {time},
    reason {text},
    proposed_by {uuid},
    proposed_at {time} NOT NULL,
    confirmed_by {uuid},
    confirmed_at {time},
    confirmed_alone {bool} NOT NULL,
    accepted_at {time},
    revoked_by {uuid},
    revoked_at {time},
    created_at {time} NOT NULL,
    updated_at {time} NOT NULL,
    version {int} NOT NULL,
    capacity {int} NOT NULL,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, child_id) REFERENCES children (org_id, id)
) {tenant};
CREATE INDEX relations_by_user ON relations (org_id, user_id, child_id);
CREATE INDEX relations_by_child ON relations (org_id, child_id, created_at, id);
CREATE UNIQUE INDEX relations__user_id ON relations (org_id, child_id, user_id, kind) WHERE state <> 'expired' AND state <> 'revoked';

-- `class_bits` has a bit for each closed class.
CREATE TABLE restrictions (
    org_id {uuid} NOT NULL,
    id {uuid} NOT NULL,
    child_id {uuid} NOT NULL,
    user_id {uuid} REFERENCES users (id),
    classes {text} NOT NULL,
    kind {text} NOT NULL,
    reason {text} NOT NULL,
    document_ref {text},
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

CREATE TABLE consents (
    org_id {uuid} NOT NULL,
    id {uuid} NOT NULL,
    child_id {uuid} NOT NULL,
    purpose {text} NOT NULL,
    method {text} NOT NULL,
    notice_version {text} NOT NULL,
    granted_by {uuid},
    granted_at {time} NOT NULL,
    expires_at {time},
    withdrawn_by {uuid},
    withdrawn_at {time},
    created_at {time} NOT NULL,
    updated_at {time} NOT NULL,
    version {int} NOT NULL,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, child_id) REFERENCES children (org_id, id)
) {tenant};
CREATE INDEX consents_by_child ON consents (org_id, child_id, created_at, id);

CREATE TABLE registrations (
    org_id {uuid} NOT NULL,
    id {uuid} NOT NULL,
    child_id {uuid} NOT NULL,
    season_id {uuid} NOT NULL,
    division_id {uuid},
    status {text} NOT NULL,
    applied_by {uuid},
    decided_by {uuid},
    decided_at {time},
    created_at {time} NOT NULL,
    updated_at {time} NOT NULL,
    version {int} NOT NULL,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, child_id) REFERENCES children (org_id, id),
    FOREIGN KEY (org_id, season_id) REFERENCES seasons (org_id, id),
    FOREIGN KEY (org_id, division_id) REFERENCES divisions (org_id, id)
) {tenant};
CREATE INDEX registrations_by_season ON registrations (org_id, season_id, created_at, id);
CREATE INDEX registrations_by_child ON registrations (org_id, child_id);
CREATE INDEX registrations_by_division ON registrations (org_id, division_id);
CREATE UNIQUE INDEX registrations__season_id ON registrations (org_id, child_id, season_id) WHERE status <> 'withdrawn';

CREATE TABLE roster_entries (
    org_id {uuid} NOT NULL,
    id {uuid} NOT NULL,
    team_id {uuid} NOT NULL,
    child_id {uuid} NOT NULL,
    jersey_number {int},
    position {text},
    starts_on {date} NOT NULL,
    ends_on {date},
    created_at {time} NOT NULL,
    updated_at {time} NOT NULL,
    version {int} NOT NULL,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, team_id) REFERENCES teams (org_id, id),
    FOREIGN KEY (org_id, child_id) REFERENCES children (org_id, id)
) {tenant};
CREATE INDEX roster_entries_by_team ON roster_entries (org_id, team_id, child_id);
CREATE INDEX roster_entries_by_child ON roster_entries (org_id, child_id, team_id);
CREATE UNIQUE INDEX roster_entries__child_id ON roster_entries (org_id, team_id, child_id) WHERE ends_on IS NULL;

-- Who saw data of a child, except the child and its guardians. One read of several children has one id.
CREATE TABLE access_events (
    org_id {uuid} NOT NULL,
    id {uuid} NOT NULL,
    child_id {uuid} NOT NULL,
    at {time} NOT NULL,
    user_id {uuid} NOT NULL REFERENCES users (id),
    key_id {uuid},
    capacity {text} NOT NULL,
    class {text} NOT NULL,
    operation {text} NOT NULL,
    PRIMARY KEY (org_id, id, child_id)
) {tenant};
CREATE INDEX access_events_by_child ON access_events (org_id, child_id, at, id);
CREATE INDEX access_events_by_time ON access_events (org_id, at);
