-- Invitations, mail, and changes of e-mail addresses.

ALTER TABLE members ADD COLUMN source {text} NOT NULL DEFAULT 'founded';

ALTER TABLE users ADD COLUMN pending_email {text};
ALTER TABLE users ADD COLUMN pending_email_at {time};
ALTER TABLE users ADD COLUMN current_email_confirmed {bool} NOT NULL DEFAULT {false};
ALTER TABLE users ADD COLUMN pending_email_confirmed {bool} NOT NULL DEFAULT {false};

CREATE TABLE invitations (
    org_id {uuid} NOT NULL REFERENCES orgs (id),
    id {uuid} NOT NULL,
    kind {text} NOT NULL,
    email {text} NOT NULL,
    email_folded {text} NOT NULL,
    role {int} NOT NULL,
    invited_by {uuid} NOT NULL REFERENCES users (id),
    sent_at {time} NOT NULL,
    expires_at {time} NOT NULL,
    accepted_at {time},
    member_id {uuid},
    revoked_at {time},
    mail_failed_at {time},
    created_at {time} NOT NULL,
    updated_at {time} NOT NULL,
    version {int} NOT NULL,
    PRIMARY KEY (org_id, id)
) {tenant};
CREATE INDEX invitations_by_creation ON invitations (org_id, created_at, id);
-- One invitation that still waits for an answer, for each address.
CREATE UNIQUE INDEX invitations__email ON invitations (org_id, email_folded) WHERE accepted_at IS NULL AND revoked_at IS NULL;

-- Messages, each written in the transaction that causes it. They contain no link: its token is computed from the row when it is sent.
-- A password reset is about an address, because the request must not reveal whether a user has it.
CREATE TABLE mail (
    id {uuid} NOT NULL PRIMARY KEY,
    org_id {uuid} REFERENCES orgs (id),
    kind {text} NOT NULL,
    recipient {text} NOT NULL,
    recipient_folded {text} NOT NULL,
    record_id {uuid},
    version {int} NOT NULL,
    created_at {time} NOT NULL,
    expires_at {time},
    due_at {time},
    status {text} NOT NULL,
    attempts {int} NOT NULL,
    ended_at {time},
    error {text},
    used_at {time}
) {reference};
CREATE INDEX mail_by_due ON mail (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX mail_by_recipient ON mail (recipient_folded, kind, created_at, id);
CREATE INDEX mail_by_creation ON mail (created_at, id);

-- Failed sign-in attempts on an account from a source, and the sources from which it has been signed in to. All are digests.
DROP TABLE login_failures;
CREATE TABLE login_failures (
    subject {bytes} NOT NULL,
    source {bytes} NOT NULL,
    failures {int} NOT NULL,
    last_failed_at {time} NOT NULL,
    PRIMARY KEY (subject, source)
) {reference};
CREATE TABLE login_sources (
    subject {bytes} NOT NULL,
    source {bytes} NOT NULL,
    last_signed_in_at {time} NOT NULL,
    PRIMARY KEY (subject, source)
) {reference};
