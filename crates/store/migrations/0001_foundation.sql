-- The foundation: tenants, users and their credentials, seasons and games, the college catalogue, saved programs, and the ledger.
-- Words in braces are type tokens: see src/migrations.rs.
--
-- Every tenant table is keyed by org_id first, in its primary key, its unique keys and its foreign keys, so that a reference into
-- another tenant is a constraint error and the schema can be sharded by organization. Times are microseconds since 1970 in UTC,
-- dates are YYYY-MM-DD, JSON is text. A unique key that clients can violate is named TABLE__FIELD, so that the error can name the field.

CREATE TABLE orgs (
    id {uuid} NOT NULL PRIMARY KEY,
    name {text} NOT NULL,
    slug {text} NOT NULL,
    country {text},
    time_zone {text} NOT NULL,
    created_at {time} NOT NULL,
    updated_at {time} NOT NULL,
    version {int} NOT NULL,
    CONSTRAINT orgs__slug UNIQUE (slug)
) {reference};

CREATE TABLE users (
    id {uuid} NOT NULL PRIMARY KEY,
    email {text} NOT NULL,
    email_folded {text} NOT NULL,
    name {text} NOT NULL,
    locale {text},
    time_zone {text},
    password_hash {text},
    password_changed_at {time},
    suspended_at {time},
    created_at {time} NOT NULL,
    updated_at {time} NOT NULL,
    version {int} NOT NULL,
    CONSTRAINT users__email UNIQUE (email_folded)
) {reference};

CREATE TABLE members (
    org_id {uuid} NOT NULL REFERENCES orgs (id),
    id {uuid} NOT NULL,
    user_id {uuid} NOT NULL REFERENCES users (id),
    role {int} NOT NULL,
    joined_at {time} NOT NULL,
    suspended_at {time},
    updated_at {time} NOT NULL,
    version {int} NOT NULL,
    PRIMARY KEY (org_id, id),
    CONSTRAINT members__user_id UNIQUE (org_id, user_id)
) {tenant};
CREATE INDEX members_by_user ON members (user_id);
CREATE INDEX members_by_join ON members (org_id, joined_at, id);

CREATE TABLE sessions (
    org_id {uuid} NOT NULL,
    id {uuid} NOT NULL,
    user_id {uuid} NOT NULL REFERENCES users (id),
    method {text} NOT NULL,
    generation {int} NOT NULL,
    token_digest {bytes} NOT NULL,
    previous_digest {bytes},
    rotated_at {time} NOT NULL,
    retried {bool} NOT NULL,
    user_agent {text},
    ip {text},
    created_at {time} NOT NULL,
    last_used_at {time} NOT NULL,
    expires_at {time} NOT NULL,
    revoked_at {time},
    updated_at {time} NOT NULL,
    version {int} NOT NULL,
    PRIMARY KEY (org_id, id)
) {tenant};
CREATE INDEX sessions_by_user ON sessions (org_id, user_id, created_at, id);

-- Found by its public id before the organization is known, hence a reference table.
CREATE TABLE api_keys (
    id {uuid} NOT NULL PRIMARY KEY,
    org_id {uuid} NOT NULL REFERENCES orgs (id),
    user_id {uuid} NOT NULL REFERENCES users (id),
    name {text} NOT NULL,
    kind {text} NOT NULL,
    public_id {text} NOT NULL UNIQUE,
    last4 {text} NOT NULL,
    digest {bytes} NOT NULL,
    pepper_id {text} NOT NULL,
    role {int} NOT NULL,
    scopes {text} NOT NULL,
    allowed_ips {text} NOT NULL,
    created_at {time} NOT NULL,
    expires_at {time} NOT NULL,
    last_used_at {time},
    revoked_at {time},
    updated_at {time} NOT NULL,
    version {int} NOT NULL
) {reference};
CREATE INDEX api_keys_by_org ON api_keys (org_id, created_at, id);
CREATE INDEX api_keys_by_user ON api_keys (org_id, user_id, created_at, id);

-- Recent failed sign-in attempts, by a digest of the e-mail address, known or not.
CREATE TABLE login_failures (
    subject {bytes} NOT NULL PRIMARY KEY,
    failures {int} NOT NULL,
    last_failed_at {time} NOT NULL
) {reference};

CREATE TABLE seasons (
    org_id {uuid} NOT NULL REFERENCES orgs (id),
    id {uuid} NOT NULL,
    name {text} NOT NULL,
    name_folded {text} NOT NULL,
    sport {text} NOT NULL,
    status {text} NOT NULL,
    starts_on {date},
    ends_on {date},
    listed_on {date} NOT NULL,
    time_zone {text} NOT NULL,
    scoring {text} NOT NULL,
    tiebreakers {text} NOT NULL,
    external_id {text},
    created_at {time} NOT NULL,
    updated_at {time} NOT NULL,
    version {int} NOT NULL,
    PRIMARY KEY (org_id, id),
    CONSTRAINT seasons__name UNIQUE (org_id, name_folded)
) {tenant};
CREATE INDEX seasons_by_day ON seasons (org_id, listed_on, id);
CREATE UNIQUE INDEX seasons__external_id ON seasons (org_id, external_id) WHERE external_id IS NOT NULL;

CREATE TABLE divisions (
    org_id {uuid} NOT NULL,
    id {uuid} NOT NULL,
    season_id {uuid} NOT NULL,
    name {text} NOT NULL,
    name_folded {text} NOT NULL,
    age_group {text},
    gender {text},
    created_at {time} NOT NULL,
    updated_at {time} NOT NULL,
    version {int} NOT NULL,
    PRIMARY KEY (org_id, id),
    CONSTRAINT divisions__name UNIQUE (org_id, season_id, name_folded),
    FOREIGN KEY (org_id, season_id) REFERENCES seasons (org_id, id)
) {tenant};

CREATE TABLE teams (
    org_id {uuid} NOT NULL,
    id {uuid} NOT NULL,
    season_id {uuid} NOT NULL,
    division_id {uuid} NOT NULL,
    name {text} NOT NULL,
    name_folded {text} NOT NULL,
    short_name {text},
    external_id {text},
    created_at {time} NOT NULL,
    updated_at {time} NOT NULL,
    version {int} NOT NULL,
    PRIMARY KEY (org_id, id),
    CONSTRAINT teams__name UNIQUE (org_id, division_id, name_folded),
    FOREIGN KEY (org_id, season_id) REFERENCES seasons (org_id, id),
    FOREIGN KEY (org_id, division_id) REFERENCES divisions (org_id, id)
) {tenant};
CREATE INDEX teams_by_season ON teams (org_id, season_id, id);

CREATE TABLE venues (
    org_id {uuid} NOT NULL REFERENCES orgs (id),
    id {uuid} NOT NULL,
    name {text} NOT NULL,
    name_folded {text} NOT NULL,
    address {text},
    latitude {real},
    longitude {real},
    time_zone {text} NOT NULL,
    fields {text} NOT NULL,
    created_at {time} NOT NULL,
    updated_at {time} NOT NULL,
    version {int} NOT NULL,
    PRIMARY KEY (org_id, id),
    CONSTRAINT venues__name UNIQUE (org_id, name_folded)
) {tenant};

CREATE TABLE games (
    org_id {uuid} NOT NULL,
    id {uuid} NOT NULL,
    season_id {uuid} NOT NULL,
    division_id {uuid} NOT NULL,
    round {text},
    kind {text} NOT NULL,
    status {text} NOT NULL,
    starts_at {time} NOT NULL,
    time_tbd {bool} NOT NULL,
    ends_at {time},
    time_zone {text} NOT NULL,
    venue_id {uuid},
    field {text},
    home_team_id {uuid},
    home_score {int},
    away_team_id {uuid},
    away_score {int},
    last_change {text},
    external_id {text},
    created_at {time} NOT NULL,
    updated_at {time} NOT NULL,
    version {int} NOT NULL,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, season_id) REFERENCES seasons (org_id, id),
    FOREIGN KEY (org_id, division_id) REFERENCES divisions (org_id, id),
    FOREIGN KEY (org_id, venue_id) REFERENCES venues (org_id, id),
    FOREIGN KEY (org_id, home_team_id) REFERENCES teams (org_id, id),
    FOREIGN KEY (org_id, away_team_id) REFERENCES teams (org_id, id)
) {tenant};
CREATE INDEX games_by_start ON games (org_id, starts_at, id);
CREATE INDEX games_by_season ON games (org_id, season_id, starts_at, id);
CREATE INDEX games_by_division ON games (org_id, division_id);
CREATE INDEX games_by_home_team ON games (org_id, home_team_id, starts_at, id);
CREATE INDEX games_by_away_team ON games (org_id, away_team_id, starts_at, id);
CREATE INDEX games_by_venue ON games (org_id, venue_id, starts_at, id);
CREATE UNIQUE INDEX games__external_id ON games (org_id, season_id, external_id) WHERE external_id IS NOT NULL;

CREATE TABLE colleges (
    id {uuid} NOT NULL PRIMARY KEY,
    unitid {int} NOT NULL UNIQUE,
    name {text} NOT NULL,
    name_folded {text} NOT NULL,
    city {text},
    state {text},
    zip {text},
    sector {text},
    division {text},
    division_folded {text} NOT NULL,
    enrollment_men {int},
    enrollment_women {int},
    enrollment_total {int},
    created_at {time} NOT NULL,
    updated_at {time} NOT NULL,
    version {int} NOT NULL
) {reference};
CREATE INDEX colleges_by_name ON colleges (name_folded, id);

-- Each word of a college's folded name, for searches by prefix.
CREATE TABLE college_words (
    word {text} NOT NULL,
    college_id {uuid} NOT NULL REFERENCES colleges (id),
    PRIMARY KEY (word, college_id)
) {reference_without_rowid};
CREATE INDEX college_words_by_college ON college_words (college_id);

CREATE TABLE programs (
    id {uuid} NOT NULL PRIMARY KEY,
    college_id {uuid} NOT NULL REFERENCES colleges (id),
    sport {text} NOT NULL,
    gender {text} NOT NULL,
    division {text},
    division_folded {text} NOT NULL,
    participants {int},
    academic_year {text},
    created_at {time} NOT NULL,
    updated_at {time} NOT NULL,
    version {int} NOT NULL,
    UNIQUE (college_id, sport, gender)
) {reference};

CREATE TABLE favorites (
    org_id {uuid} NOT NULL REFERENCES orgs (id),
    owner_id {uuid} NOT NULL REFERENCES users (id),
    id {uuid} NOT NULL,
    program_id {uuid} REFERENCES programs (id),
    custom {text},
    custom_folded {text},
    stage {text} NOT NULL,
    fit {text} NOT NULL,
    interest {int},
    rank {int} NOT NULL,
    notes {text},
    tags {text} NOT NULL,
    created_at {time} NOT NULL,
    updated_at {time} NOT NULL,
    version {int} NOT NULL,
    PRIMARY KEY (org_id, owner_id, id)
) {tenant};
CREATE UNIQUE INDEX favorites__program_id ON favorites (org_id, owner_id, program_id) WHERE program_id IS NOT NULL;
CREATE UNIQUE INDEX favorites__custom ON favorites (org_id, owner_id, custom_folded) WHERE custom_folded IS NOT NULL;

-- Guests belong to no organization, and cannot read data of tenants.
CREATE TABLE guests (
    id {uuid} NOT NULL PRIMARY KEY,
    token_digest {bytes} NOT NULL UNIQUE,
    created_at {time} NOT NULL,
    expires_at {time} NOT NULL
) {reference};
CREATE INDEX guests_by_expiry ON guests (expires_at);

CREATE TABLE guest_favorites (
    owner_id {uuid} NOT NULL REFERENCES guests (id),
    id {uuid} NOT NULL,
    program_id {uuid} REFERENCES programs (id),
    custom {text},
    custom_folded {text},
    stage {text} NOT NULL,
    fit {text} NOT NULL,
    interest {int},
    rank {int} NOT NULL,
    notes {text},
    tags {text} NOT NULL,
    created_at {time} NOT NULL,
    updated_at {time} NOT NULL,
    version {int} NOT NULL,
    PRIMARY KEY (owner_id, id)
) {reference_without_rowid};
CREATE UNIQUE INDEX guest_favorites__program_id ON guest_favorites (owner_id, program_id) WHERE program_id IS NOT NULL;
CREATE UNIQUE INDEX guest_favorites__custom ON guest_favorites (owner_id, custom_folded)
    WHERE custom_folded IS NOT NULL;

-- The ledger: one history for each organization. A head is its newest entry; an entry is one transaction; an effect is one record before
-- and after. The reason has a digest of its own, so that the chain can still be verified after the reason was erased.
CREATE TABLE ledger_heads (
    org_id {uuid} NOT NULL PRIMARY KEY REFERENCES orgs (id),
    epoch {int} NOT NULL,
    seq {int} NOT NULL,
    posted_at {time} NOT NULL,
    chain {bytes} NOT NULL
) {tenant};

CREATE TABLE ledger_entries (
    org_id {uuid} NOT NULL,
    seq {int} NOT NULL,
    id {uuid} NOT NULL,
    at {time} NOT NULL,
    posted_at {time} NOT NULL,
    user_id {uuid},
    key_id {uuid},
    on_behalf_of {uuid},
    operation {text} NOT NULL,
    request_id {text} NOT NULL,
    changeset_id {uuid},
    reason {text},
    reason_salt {bytes},
    reason_digest {bytes},
    chain {bytes} NOT NULL,
    PRIMARY KEY (org_id, seq)
) {tenant};
CREATE INDEX ledger_entries_by_posting ON ledger_entries (org_id, posted_at);

-- A record was created, updated or deleted; or images were cleared, up to the entry clears_to: all of one record ("erased"), or those
-- of every record ("cleared", by the retention, whose record is the organization).
CREATE TABLE ledger_effects (
    org_id {uuid} NOT NULL,
    seq {int} NOT NULL,
    position {int} NOT NULL,
    kind {text} NOT NULL,
    record_id {uuid} NOT NULL,
    verb {text} NOT NULL,
    version {int} NOT NULL,
    clears_to {int},
    changed {text} NOT NULL,
    before {text},
    after {text},
    salt {bytes},
    digest {bytes} NOT NULL,
    PRIMARY KEY (org_id, seq, position)
) {tenant_with_rowid};
CREATE INDEX ledger_effects_by_record ON ledger_effects (org_id, kind, record_id, seq);
CREATE INDEX ledger_effects_by_kind ON ledger_effects (org_id, kind, seq, position);
CREATE INDEX ledger_effects_clearing ON ledger_effects (org_id, seq) WHERE clears_to IS NOT NULL;

-- Responses stored for a day, so that a repeated request has no second effect. The caller is a digest: of a credential's owner, a guest, or
-- an address without a credential, whose organization is the nil UUID.
CREATE TABLE idempotency_keys (
    org_id {uuid} NOT NULL,
    caller {bytes} NOT NULL,
    operation {text} NOT NULL,
    idempotency_key {text} NOT NULL,
    request_digest {bytes} NOT NULL,
    status {int} NOT NULL,
    headers {text} NOT NULL,
    body {bytes},
    made_id {text},
    created_at {time} NOT NULL,
    PRIMARY KEY (org_id, caller, operation, idempotency_key)
) {tenant};
CREATE INDEX idempotency_keys_by_time ON idempotency_keys (created_at);

-- Which key rings were used with this database: an HMAC under each secret, which says nothing about the secret.
CREATE TABLE key_ring_fingerprints (
    purpose {text} NOT NULL,
    fingerprint {bytes} NOT NULL,
    PRIMARY KEY (purpose, fingerprint)
) {reference_without_rowid};
