-- Divisions and teams as records of their own: listed by name, and found by the ids that other systems gave them.

ALTER TABLE divisions ADD COLUMN external_id {text};
CREATE UNIQUE INDEX divisions__external_id ON divisions (org_id, season_id, external_id) WHERE external_id IS NOT NULL;
CREATE INDEX divisions_by_name ON divisions (org_id, name_folded, id);
CREATE INDEX teams_by_name ON teams (org_id, name_folded, id);

-- The local start as it was set, which stays when the rules of the time zone change. A job of the server fills it in for games to come.
ALTER TABLE games ADD COLUMN local_start {text};
-- Games of a division are listed by start.
DROP INDEX games_by_division;
CREATE INDEX games_by_division ON games (org_id, division_id, starts_at, id);

-- Who gave a member their role: a second person must not have got their role from the first.
ALTER TABLE members ADD COLUMN role_given_by {uuid};

CREATE TABLE staff (
    org_id {uuid} NOT NULL,
    id {uuid} NOT NULL,
    team_id {uuid} NOT NULL,
    user_id {uuid} NOT NULL REFERENCES users (id),
    kind {text} NOT NULL,
    state {text} NOT NULL,
    starts_on {date},
    ends_on {date},
    proposed_by {uuid},
    proposed_at {time} NOT NULL,
    confirmed_by {uuid},
    confirmed_at {time},
    confirmed_alone {bool} NOT NULL,
    created_at {time} NOT NULL,
    updated_at {time} NOT NULL,
    version {int} NOT NULL,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, team_id) REFERENCES teams (org_id, id)
) {tenant};
CREATE INDEX staff_by_team ON staff (org_id, team_id, created_at, id);
CREATE INDEX staff_by_user ON staff (org_id, user_id, team_id);
CREATE UNIQUE INDEX staff__user_id ON staff (org_id, team_id, user_id) WHERE state <> 'ended';
