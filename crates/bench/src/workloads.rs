//! The table of workloads: one row for each kind of request.
//!
//! To measure one more, add a row; `workload.rs` says what its columns mean.

use crate::workload::{Against, By, Expected, Goal, On, Who, Workload};

const fn goal(target: f64, floor: f64) -> Goal {
    Goal { target, floor }
}

/// Reads beside tokio-postgres by hand.
const READ_BY_HAND: Option<Goal> = Some(goal(0.95, 0.85));
/// Writes beside the same statements by hand.
const WRITE_BY_HAND: Option<Goal> = Some(goal(0.60, 0.40));
/// How much slower one organization among many may be than alone.
const AS_ALONE: Goal = goal(0.90, 0.80);

/// 13 microseconds where the limit takes 8.7, and twice as long as the limit.
const AS_FROM_MEMORY: Goal = goal(0.67, 0.50);

/// The list that most workloads read.
pub(crate) const LIST: &str = "/api/v1/seasons?limit=20";
const SEASON: &str = "/api/v1/seasons/{season}";
const UPCOMING: &str = "/api/v1/games/upcoming";

/// A row that most others are like.
const LIST_UNCACHED: Workload = Workload {
    name: "list",
    title: "GET /seasons, API key, uncached",
    on: On::Uncached,
    who: Who::Everyone,
    by: By::Key,
    path: LIST,
    body: "",
    expected: Expected::Seasons,
    limit: "list",
    against: Against::Limit,
    goal: goal(0.35, 0.25),
    postgres: READ_BY_HAND,
};

/// Every workload. Those that write come last, because they change what is read.
pub(crate) const ALL: &[Workload] = &[
    Workload {
        name: "list-cached",
        title: "GET /seasons, API key, cached",
        on: On::Default,
        who: Who::Kept,
        goal: goal(0.80, 0.65),
        postgres: None,
        ..LIST_UNCACHED
    },
    LIST_UNCACHED,
    Workload {
        name: "list-bearer",
        title: "GET /seasons, bearer token, uncached",
        by: By::Bearer,
        goal: goal(0.33, 0.22),
        ..LIST_UNCACHED
    },
    Workload {
        name: "list-one",
        title: "the same list, one organization in all",
        on: On::One,
        who: Who::Manager,
        ..LIST_UNCACHED
    },
    Workload {
        name: "list-small",
        title: "the same list, 5,000 organizations against one",
        against: Against::Workload("list-one"),
        goal: AS_ALONE,
        postgres: Some(AS_ALONE),
        ..LIST_UNCACHED
    },
    Workload {
        name: "list-large",
        title: "the list at random, 500,000 organizations against 5,000",
        on: On::Large,
        against: Against::Workload("list"),
        goal: AS_ALONE,
        postgres: Some(AS_ALONE),
        ..LIST_UNCACHED
    },
    Workload {
        name: "season-cached",
        title: "GET /seasons/{id}, cached",
        on: On::Default,
        who: Who::Kept,
        path: SEASON,
        expected: Expected::Season,
        limit: "season",
        goal: goal(0.60, 0.45),
        postgres: None,
        ..LIST_UNCACHED
    },
    Workload {
        name: "season",
        title: "GET /seasons/{id}, uncached",
        path: SEASON,
        expected: Expected::Season,
        limit: "season",
        goal: goal(0.60, 0.45),
        ..LIST_UNCACHED
    },
    Workload {
        name: "upcoming-cached",
        title: "GET /games/upcoming, cached",
        on: On::Default,
        who: Who::Kept,
        path: UPCOMING,
        expected: Expected::Games,
        limit: "upcoming",
        goal: goal(0.60, 0.45),
        postgres: None,
        ..LIST_UNCACHED
    },
    Workload {
        name: "upcoming",
        title: "GET /games/upcoming, uncached",
        path: UPCOMING,
        expected: Expected::Games,
        limit: "upcoming",
        goal: goal(0.25, 0.18),
        ..LIST_UNCACHED
    },
    Workload {
        name: "not-modified",
        title: "GET /seasons with If-None-Match (304)",
        on: On::Default,
        who: Who::Kept,
        by: By::Condition,
        expected: Expected::NotModified,
        limit: "not-modified",
        goal: goal(0.85, 0.70),
        postgres: None,
        ..LIST_UNCACHED
    },
    Workload {
        name: "refused",
        title: "GET /members, a higher role required (403)",
        on: On::Default,
        who: Who::Guardian,
        path: "/api/v1/members",
        expected: Expected::Refused,
        limit: "refused",
        goal: AS_FROM_MEMORY,
        postgres: None,
        ..LIST_UNCACHED
    },
    Workload {
        name: "profile",
        title: "GET /profile/me, two children",
        on: On::Default,
        who: Who::Guardian,
        path: "/api/v1/profile/me",
        expected: Expected::Profile,
        limit: "profile",
        goal: goal(0.50, 0.35),
        ..LIST_UNCACHED
    },
    Workload {
        name: "children",
        title: "GET /children, 50 visible of 1,000, coach",
        on: On::Default,
        who: Who::Coach,
        path: "/api/v1/children?limit=50",
        expected: Expected::Children,
        limit: "children",
        goal: goal(0.25, 0.15),
        ..LIST_UNCACHED
    },
    Workload {
        name: "create-season",
        title: "POST /seasons, durable, one organization",
        on: On::Default,
        who: Who::Writer,
        path: "/api/v1/seasons",
        body: r#"{"name":"Bench ##########","sport":"basketball","time_zone":"UTC"}"#,
        expected: Expected::Created,
        limit: "create-season",
        goal: goal(0.40, 0.25),
        postgres: WRITE_BY_HAND,
        ..LIST_UNCACHED
    },
    Workload {
        name: "save-favorite",
        title: "POST /colleges/favorites, durable, new guests",
        on: On::Default,
        who: Who::Guest,
        path: "/api/v1/colleges/favorites",
        body: r#"{"custom":{"college_name":"College ##########","sport":"softball"}}"#,
        expected: Expected::Created,
        limit: "save-favorite",
        goal: goal(0.40, 0.25),
        postgres: WRITE_BY_HAND,
        ..LIST_UNCACHED
    },
];

/// The workload of a name.
pub(crate) fn named(name: &str) -> Option<&'static Workload> {
    ALL.iter().find(|workload| workload.name == name)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::requests::COUNTER;

    #[test]
    fn names_are_unique_and_refer_to_rows_that_exist() {
        let names: HashSet<_> = ALL.iter().map(|workload| workload.name).collect();
        assert_eq!(names.len(), ALL.len());
        for workload in ALL {
            assert!(named(workload.limit).is_some(), "{}", workload.name);
            if let Against::Workload(other) = workload.against {
                assert!(named(other).is_some(), "{}", workload.name);
            }
            assert!(workload.goal.floor < workload.goal.target, "{}", workload.name);
            assert!(workload.body.is_empty() || workload.body.contains(COUNTER), "{}", workload.name);
        }
    }

    #[test]
    fn writes_come_last() {
        assert!(ALL.is_sorted_by_key(Workload::writes));
    }
}
