-- When a member's role was given. Null for roles from before.
ALTER TABLE members ADD COLUMN role_given_at {time};
