//! The requests of a round.

use fieldhouse_api::Operation as Op;

/// One request.
pub(crate) struct Step {
    /// The role of the account that sends it, or `anyone`.
    pub(crate) by: &'static str,
    /// The operation.
    pub(crate) operation: Op,
    /// The parameters of the path, and the query after a question mark.
    pub(crate) at: &'static str,
    /// The body as JSON, or nothing.
    pub(crate) body: &'static str,
    /// Names for later steps, with the places of their values in the response.
    pub(crate) finds: &'static [(&'static str, &'static str)],
}

macro_rules! steps {
    ($($by:ident $operation:ident $at:literal $body:literal $([$($name:literal $pointer:literal),+])?;)*) => {
        &[$(Step {
            by: stringify!($by),
            operation: Op::$operation,
            at: $at,
            body: $body,
            finds: &[$($(($name, $pointer)),+)?],
        }),*]
    };
}

/// Finds the records of the demo.
pub(crate) const DEMO: &[Step] = steps! {
    viewer GameList "?limit=1" "" [
        "season" "/data/0/season_id", "division" "/data/0/division_id", "game" "/data/0/id",
        "team" "/data/0/home_team_id"
    ];
    viewer VenueList "?limit=1" "" ["venue" "/data/0/id"];
    owner MemberList "?role=member" "" ["member" "/data/0/id"];
    owner MemberList "?role=coach" "" ["coach" "/data/0/user/id"];
    anyone CollegeSearch "?q=col&limit=1" "" ["college" "/data/0/id"];
    anyone ProgramSearch "?q=col&limit=1" "" ["program" "/data/0/id"];
};

/// What is measured.
pub(crate) const ROUND: &[Step] = steps! {
    anyone Health "" "";
    anyone Ready "" "";
    anyone JsonWebKeys "" "";
    anyone OpenApi "" "";
    anyone OpenIdConfiguration "" "";
    anyone ProtectedResource "" "";
    anyone Home "" "";
    anyone Docs "" "";
    anyone ProblemPage "not_found" "";
    anyone ForgotPasswordPage "" "";
    anyone AuthLogin "" r#"{"email":"<viewer_email>","password":"<viewer_password>"}"# ["refresh" "/data/refresh_token"];
    anyone AuthRefresh "" r#"{"refresh_token":"<refresh>"}"#;
    viewer ProfileMe "" "";
    viewer ProfileChange "" r#"{"locale":"en-<n>"}"#;
    viewer SessionList "" "";
    owner OrganizationRead "" "";
    owner OrganizationChange "" r#"{"name":"Club <n>"}"#;
    owner OrganizationHistory "" "";
    owner MemberList "" "";
    owner MemberRead "<member>" "";
    owner MemberHistory "<member>" "";
    owner MemberChange "<member>" r#"{"role":"viewer"}"#;
    owner MemberChange "<member>" r#"{"role":"member"}"#;
    owner InvitationCreate "" r#"{"email":"bench<n>@example.org","role":"member"}"# ["invitation" "/data/id"];
    owner InvitationList "" "";
    owner InvitationRead "<invitation>" "";
    owner InvitationResend "<invitation>" "";
    owner InvitationRevoke "<invitation>" "";
    owner ApiKeyCreate "" r#"{"name":"Bench <n>"}"# ["key" "/data/id"];
    owner ApiKeyList "" "";
    owner ApiKeyRead "<key>" "";
    owner ApiKeyRevoke "<key>" "";
    viewer SeasonList "" "";
    viewer SeasonRead "<season>" "";
    viewer StandingsRead "<season>?division_id=<division>" "";
    manager SeasonHistory "<season>" "";
    viewer DivisionList "" "";
    viewer DivisionRead "<division>" "";
    manager DivisionHistory "<division>" "";
    viewer TeamList "" "";
    viewer TeamRead "<team>" "";
    viewer TeamSchedule "<team>" "";
    manager TeamHistory "<team>" "";
    viewer VenueList "" "";
    viewer VenueRead "<venue>" "";
    manager VenueHistory "<venue>" "";
    viewer GameList "" "";
    viewer GamesUpcoming "" "";
    viewer GameRead "<game>" "";
    manager GameHistory "<game>" "";
    owner AuditLog "" "";
    viewer ImportFormats "" "";
    manager SeasonCreate "" r#"{"name":"Bench <n>","sport":"netball","time_zone":"UTC"}"# ["new_season" "/data/id"];
    manager SeasonChange "<new_season>" r#"{"status":"active"}"#;
    manager DivisionCreate "" r#"{"season_id":"<new_season>","name":"U12"}"# ["new_division" "/data/id"];
    manager DivisionChange "<new_division>" r#"{"age_group":"U12"}"#;
    manager TeamCreate "" r#"{"season_id":"<new_season>","division_id":"<new_division>","name":"Reds"}"# ["reds" "/data/id"];
    manager TeamCreate "" r#"{"season_id":"<new_season>","division_id":"<new_division>","name":"Blues"}"# ["blues" "/data/id"];
    manager TeamChange "<reds>" r#"{"short_name":"RED"}"#;
    manager VenueCreate "" r#"{"name":"Bench <n>","time_zone":"UTC"}"# ["new_venue" "/data/id"];
    manager VenueChange "<new_venue>" r#"{"address":"1 Hall St"}"#;
    manager StaffAdd "<reds>" r#"{"user_id":"<coach>","kind":"coach"}"# ["staff" "/data/id"];
    manager StaffList "<reds>" "";
    admin StaffConfirm "<reds> <staff>" "";
    manager StaffChange "<reds> <staff>" r#"{"kind":"head_coach"}"#;
    manager GameCreate "" r#"{"season_id":"<new_season>","division_id":"<new_division>","starts_at":"2026-05-01T09:00:00Z","time_zone":"UTC","venue_id":"<new_venue>","home_team_id":"<reds>","away_team_id":"<blues>"}"# ["new_game" "/data/id"];
    manager GameChange "<new_game>" r#"{"starts_at":"2026-05-01T10:00:00Z","reason":"Rain"}"#;
    manager GameResult "<new_game>" r#"{"home_score":3,"away_score":1,"status":"final"}"#;
    manager GameDelete "<new_game>" "";
    manager StaffRemove "<reds> <staff>" "";
    manager VenueDelete "<new_venue>" "";
    manager TeamDelete "<reds>" "";
    manager TeamDelete "<blues>" "";
    manager DivisionDelete "<new_division>" "";
    manager SeasonDelete "<new_season>" "";
    owner ExportCreate "" r#"{"kind":"organization"}"# ["export" "/data/id", "token" "/data/token"];
    owner ExportRead "<export>" "";
    anyone ExportContent "<export>?token=<token>" "";
    anyone CollegeSearch "?q=university" "";
    anyone CollegeRead "<college>" "";
    anyone ProgramSearch "?q=university" "";
    anyone ProgramRead "<program>" "";
    viewer FavoriteSave "" r#"{"program_id":"<program>"}"# ["favorite" "/data/id"];
    viewer FavoriteList "" "";
    viewer FavoriteChange "<favorite>" r#"{"interest":4}"#;
    viewer FavoriteOrder "" r#"{"ids":["<favorite>"]}"#;
    viewer FavoriteExport "" "";
    viewer FavoriteRemove "<favorite>" "";
};
