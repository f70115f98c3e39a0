//! The text of the condition under which a child's data is open to someone.

/// The children of whom a class of data is open to the user $2 of the organization $1 at the time $3 and on the day $4, each with the bit of
/// the first capacity that opens it. $5: the bits of the capacities that open the class; $6: the bit of the class; $7: a consent without
/// which staff see nothing, or null; $8: the latest year of birth of children of whom staff need no consent to participation, or null; $9:
/// the latest year of birth of children who open it for themselves, or null. `$only` limits `child_id` in every branch. SQLite joins what CROSS JOIN
/// joins in the order of the text: from the person to the children. It also joins each branch with the children,
/// instead of handing the branch's rows on, but only if the columns of all branches have the same type: hence the casts. A branch whose capacities are not among $5 is not run.
///
/// With `$columns`, which `v` and the children `c` have, and an `$end`, it is a whole statement: a list then visits each child once. With
/// `family` there is one row for each relation, which `v` has more columns of, and no other branch: only relations make a family. Days do not
/// matter to it, but PostgreSQL refuses a parameter that a statement does not name.
macro_rules! visible {
    (family, $columns:expr, $end:expr) => {
        crate::access::children::opened!(
            $columns,
            crate::access::children::related!("", "child_id, capacity, kind, starts_at"),
            "",
            concat!(" AND v.capacity IN (1, 2) AND CAST($4 AS TEXT) IS NOT NULL", $end)
        )
    };
    ($only:literal) => {
        crate::access::children::visible!($only, "v.child_id, MIN(v.capacity) AS capacity", " GROUP BY v.child_id")
    };
    ($only:literal, $columns:expr, $end:expr) => {
        crate::access::children::opened!(
            $columns,
            concat!(
                crate::access::children::related!($only, "child_id, capacity"), "
                UNION ALL SELECT e.child_id, CAST(4 AS BIGINT) FROM staff f CROSS JOIN roster_entries e
                    WHERE ($5 & 4) <> 0 AND e.org_id = $1 AND e.team_id = f.team_id AND f.org_id = $1 AND f.user_id = $2 AND f.state = 'confirmed'
                    AND (f.starts_on IS NULL OR f.starts_on <= $4) AND (f.ends_on IS NULL OR f.ends_on >= $4)
                    AND e.starts_on <= $4 AND (e.ends_on IS NULL OR e.ends_on >= $4)", $only, "
                UNION ALL SELECT e.child_id, ", crate::access::children::DUTY, "
                    CROSS JOIN duty_teams d CROSS JOIN roster_entries e
                    WHERE ($5 & 88) <> 0 AND d.org_id = $1 AND d.duty_id = y.id AND e.org_id = $1 AND e.team_id = d.team_id AND ", crate::access::children::ON_DUTY, "
                    AND e.starts_on <= $4 AND (e.ends_on IS NULL OR e.ends_on >= $4)", $only, "
                UNION ALL SELECT e.child_id, ", crate::access::children::DUTY, "
                    CROSS JOIN teams t CROSS JOIN roster_entries e
                    WHERE ($5 & 88) <> 0 AND t.org_id = $1 AND t.season_id = y.season_id AND e.org_id = $1 AND e.team_id = t.id AND ", crate::access::children::ON_DUTY, "
                    AND y.team_ids = '[]' AND e.starts_on <= $4 AND (e.ends_on IS NULL OR e.ends_on >= $4)", $only, "
                UNION ALL SELECT e.child_id, ", crate::access::children::DUTY, " CROSS JOIN roster_entries e
                    WHERE ($5 & 88) <> 0 AND e.org_id = $1 AND y.season_id IS NULL AND ", crate::access::children::ON_DUTY, "
                    AND y.team_ids = '[]' AND e.starts_on <= $4 AND (e.ends_on IS NULL OR e.ends_on >= $4)", $only, "
                UNION ALL SELECT g.child_id, CAST(8 AS BIGINT) FROM duties y CROSS JOIN registrations g
                    WHERE ($5 & 8) <> 0 AND g.org_id = $1 AND g.season_id = y.season_id AND ", crate::access::children::ON_DUTY, "
                    AND y.kind = 'registrar' AND y.team_ids = '[]' AND g.status <> 'withdrawn'", $only, "
                UNION ALL SELECT k.child_id, CAST(32 AS BIGINT) FROM duties y CROSS JOIN case_leads w CROSS JOIN safeguarding_cases sc CROSS JOIN case_children k
                    WHERE ($5 & 32) <> 0 AND w.org_id = $1 AND w.user_id = y.user_id AND sc.org_id = $1 AND sc.id = w.case_id AND sc.state = 'open' AND sc.ends_at > $3
                    AND k.org_id = $1 AND k.case_id = sc.id AND ", crate::access::children::ON_DUTY, " AND y.kind = 'safeguarding_lead'", $only, "
                UNION ALL SELECT child_id, CAST(128 AS BIGINT) FROM break_glass_grants WHERE ($5 & 128) <> 0 AND org_id = $1 AND user_id = $2 AND ended_at IS NULL
                    AND starts_at <= $3 AND ends_at > $3", $only
            ),
            $only,
            $end
        )
    };
}
pub(crate) use visible;

/// The relations of the user $2 that hold now: a branch of [`visible!`].
macro_rules! related {
    ($only:literal, $columns:literal) => {
        concat!(
            "SELECT ",
            $columns,
            " FROM relations WHERE ($5 & 91) <> 0 AND org_id = $1 AND user_id = $2 AND state = 'active'
                    AND starts_at <= $3 AND (expires_at IS NULL OR expires_at > $3)",
            $only
        )
    };
}
pub(crate) use related;

/// The rows of the branches of [`visible!`] that open the class. That the child exists is asked with `IS NOT DISTINCT FROM`: `=` and
/// `IS NOT NULL` are false for null, so PostgreSQL would turn the outer join into an inner one. Most organizations have no restrictions, which is found out once; where
/// they are, they are few, and read once and not for each child. The outer join keeps PostgreSQL from running the branches again for each
/// child of a large organization.
macro_rules! opened {
    ($columns:expr, $branches:expr, $only:literal, $end:expr) => {
        concat!("SELECT ", $columns, " FROM (", $branches, ") v LEFT JOIN children c ON c.org_id = $1 AND c.id = v.child_id
            WHERE c.id IS NOT DISTINCT FROM v.child_id AND (v.capacity & $5) <> 0
                AND (v.capacity <> 4 OR (CAST($7 AS TEXT) IS NULL OR EXISTS (SELECT 1 FROM consents n WHERE n.org_id = $1
                        AND n.child_id = v.child_id AND n.purpose = $7 AND n.withdrawn_at IS NULL
                        AND (n.expires_at IS NULL OR n.expires_at > $3)))
                    AND (CAST($8 AS BIGINT) IS NULL OR c.birth_year <= $8 OR EXISTS (SELECT 1 FROM consents n WHERE n.org_id = $1
                        AND n.child_id = v.child_id AND n.purpose = 'participation' AND n.withdrawn_at IS NULL
                        AND (n.expires_at IS NULL OR n.expires_at > $3))))
                AND (v.capacity <> 1 OR CAST($9 AS BIGINT) IS NULL OR c.birth_year <= $9)
                AND (NOT EXISTS (SELECT 1 FROM restrictions WHERE org_id = $1 AND lifted_at IS NULL AND starts_at <= $3)
                    OR c.id NOT IN (SELECT child_id FROM restrictions WHERE org_id = $1", $only, " AND lifted_at IS NULL
                    AND starts_at <= $3 AND (user_id IS NULL OR user_id = $2) AND (class_bits & $6) <> 0))", $end)
    };
}
pub(crate) use opened;

/// The capacity of a duty's kind, as a bit.
pub(crate) const DUTY: &str = "CAST(CASE y.kind WHEN 'registrar' THEN 8 WHEN 'medical_staff' THEN 16 WHEN 'support' THEN 64 ELSE 0 END AS BIGINT) FROM duties y";
/// The condition of a duty that is open now.
pub(crate) const ON_DUTY: &str =
    "y.org_id = $1 AND y.user_id = $2 AND y.state = 'accepted' AND y.starts_at <= $3 AND y.ends_at > $3";
