-- Duties of members, which open children's data within their teams and season.

CREATE TABLE duties (
    org_id {uuid} NOT NULL REFERENCES orgs (id),
    id {uuid} NOT NULL,
    user_id {uuid} NOT NULL REFERENCES users (id),
    kind {text} NOT NULL,
    team_ids {text} NOT NULL,
    season_id {uuid},
    state {text} NOT NULL,
    starts_at {time} NOT NULL,
    ends_at {time} NOT NULL,
    reason {text} NOT NULL,
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
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, season_id) REFERENCES seasons (org_id, id)
) {tenant};
CREATE INDEX duties_by_time ON duties (org_id, created_at, id);
CREATE INDEX duties_by_user ON duties (org_id, user_id, created_at, id);
CREATE INDEX duties_by_season ON duties (org_id, season_id);

-- The teams of `duties.team_ids`, one a row, for joins. A duty that is over does not keep its teams from being deleted; `team_ids` still
-- names them then, so that a duty of deleted teams never becomes a duty for all teams.
CREATE TABLE duty_teams (
    org_id {uuid} NOT NULL,
    duty_id {uuid} NOT NULL,
    team_id {uuid} NOT NULL,
    PRIMARY KEY (org_id, duty_id, team_id),
    FOREIGN KEY (org_id, duty_id) REFERENCES duties (org_id, id) ON DELETE CASCADE,
    FOREIGN KEY (org_id, team_id) REFERENCES teams (org_id, id) ON DELETE CASCADE
) {tenant};
CREATE INDEX duty_teams_by_team ON duty_teams (org_id, team_id);
