//! Recognizes files of other products and of our other imports by their headers, so that an error can say what the file is.
//!
//! A product is recognized if all its columns in this list are present. They are chosen so that no two products share them, without
//! optional columns and those that a hand-made table may have. The titles of formats that can be imported are those in `formats.rs`.

/// A known file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Product {
    /// The name of the file.
    pub(super) title: &'static str,
    /// Whether it lists people.
    pub(super) roster: bool,
    /// The columns that identify it, in lower case.
    columns: &'static [&'static str],
}

const fn product(title: &'static str, columns: &'static [&'static str]) -> Product {
    Product { title, roster: false, columns }
}

const fn roster(title: &'static str, columns: &'static [&'static str]) -> Product {
    Product { title, roster: true, columns }
}

const PRODUCTS: &[Product] = &[
    product("PlayHQ fixture export", &["game date", "grade", "team a", "team b", "playing surface"]),
    product("table of colleges", &["unitid", "opeid", "institution", "enrollment_total"]),
    product("EADA table of schools", &["unitid", "institution_name", "classification_code", "sportscode"]),
    product("TeamSnap organization schedule", &["arrival time", "short label", "home team", "away team"]),
    product("TeamSnap team schedule", &["arrival time", "location name", "opponent", "uniform"]),
    roster("TeamSnap tournament roster", &["jersey #", "role label", "is coach", "is non-player"]),
    roster("TeamSnap organization roster", &["team", "division", "non-player", "jersey number"]),
    product(
        "SportsEngine season management schedule",
        &["duration", "home team", "away team", "division name", "status"],
    ),
    product(
        "SportsEngine schedule template",
        &["event name (events only)", "duration (minutes)", "teams (events only)"],
    ),
    product(
        "SportsEngine schedule upload (legacy)",
        &["start_date", "event_type", "team1_id", "team1_is_home", "team2_id"],
    ),
    product("Team App schedule", &["event_name", "access_groups", "rsvp", "reference_id"]),
    product(
        "Team Cowboy schedule",
        &["opponent/event title", "shirt color", "opponent shirt color", "allow rsvps"],
    ),
    product("referee assignment file", &["gamenum", "gamedate", "hometeam", "awayteam", "crewsize"]),
    product("GameChanger schedule", &["home team", "away team", "field", "game type", "game number"]),
    product("Spordle Play schedule", &["game date", "visiting team", "visiting team number"]),
    product("Demosphere or Otto Sport schedule", &["date", "duration", "location name", "surface name"]),
    product(
        "DaySmart Recreation event file",
        &["event sub type", "home team id", "away team id", "resource"],
    ),
    product("HTG Sports schedule", &["fieldname", "team1", "team2", "gametype"]),
    product("TopScore schedule", &["home team name", "away team name", "field name", "field number"]),
    product("Easy Team Manager file", &["eventdate", "eventarrive", "opponentstatus", "eventtypeid"]),
    roster("QuickScores roster", &["team name", "player's name", "local id", "primary email address"]),
    roster("EventConnect roster", &["date of birth", "mobile country", "role id", "guardian first name"]),
    product("Playbook schedule", &["home team", "away team", "location", "sublocation"]),
];

/// The product with this header, if it is in the list.
pub(super) fn recognise(header: &[String]) -> Option<&'static Product> {
    let has = |column: &&str| header.iter().any(|name| name == column);
    PRODUCTS.iter().find(|product| product.columns.iter().all(has))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Headers as products write or document them.
    const HEADERS: &[(&str, &str)] = &[
        (
            "TeamSnap organization schedule",
            "Date,Start time,End time,Arrival Time,Short label,Event type,Division,Home Team,Away Team,Location",
        ),
        (
            "TeamSnap team schedule",
            "Event Name or Game Title,Date,Start Time,End Time,Arrival Time,Location Name,Opponent,Uniform,Notes",
        ),
        (
            "TeamSnap tournament roster",
            "First Name,Last Name,Birthdate,Mobile phone,Other phone,Street,Street Line Two,City,State/Province/County,Postal code,Jersey #,Position,School,Shirt size,Role label,Is Coach,Is Non-Player",
        ),
        ("TeamSnap organization roster", "Team,Division,Non-Player,Email,Birthdate,Jersey Number,Position"),
        (
            "SportsEngine season management schedule",
            "Date,Time,Duration,Home Team,Home Team Score,Away Team,Away Team Score,Division Name,Location,Status",
        ),
        (
            "SportsEngine schedule template",
            "Event Type,Event Name (Events Only),Description (Events Only),Date,Start Time,End Time,Duration (minutes),All Day Event (Events Only),Home Team,Away Team,Teams (Events Only),Venue,Status",
        ),
        (
            "SportsEngine schedule upload (legacy)",
            "Start_Date,Start_Time,End_Date,End_Time,Event_Type,Team1_ID,Team1_Is_Home,Team2_ID,Location",
        ),
        (
            "Team App schedule",
            "event_name,team_name,start_date,end_date,start_time,end_time,description,location,access_groups,rsvp,comments,attendance_tracking,duty_roster,ticketing,reference_id",
        ),
        (
            "Team App schedule",
            "event_name,start_date,end_date,start_time,end_time,description,location,access_groups,rsvp,comments,attendance_tracking,duty_roster,ticketing,reference_id",
        ),
        (
            "Team Cowboy schedule",
            "Event Type\tStart Date\tStart Time\tEnd Date\tEnd Time\tTimezone ID\tHome or Away\tOpponent/Event Title\tLocation Name\tShirt Color\tOpponent Shirt Color\tAllow RSVPs\tSend Reminders\tNotes/Comments",
        ),
        (
            "referee assignment file",
            "GameNum,GameDate,GameTime,GameAge,GameLevel,Gender,Location,HomeTeam,AwayTeam,GameDescription,CrewSize,CrewDescription,Notes",
        ),
        ("GameChanger schedule", "Date,Time,Home Team,Away Team,Location,Field,Game Type,Game Number"),
        (
            "Spordle Play schedule",
            "Game date,Start time,End time,Home team,Home team number,Visiting team,Visiting team number,Field name,Stage,Game number",
        ),
        ("Demosphere or Otto Sport schedule", "Game #,Date,Time,Duration,Location name,Surface name"),
        (
            "DaySmart Recreation event file",
            "Event Type,Event Sub Type,Event Description,Event Start,Event End,Home Team ID,Away Team ID,Resource",
        ),
        ("HTG Sports schedule", "DIVISION,DATE,TIME,FIELDNAME,TEAM1,TEAM2,PUBLISH,GAMETYPE"),
        (
            "TopScore schedule",
            "home team name,away team name,start date,start time,end date,end time,field name,field number",
        ),
        (
            "Easy Team Manager file",
            "eventDate\teventLocation\teventArrive\teventStart\teventEnd\topponent\topponentStatus\teventTypeID",
        ),
        (
            "QuickScores roster",
            "League Name,Season Name,Sport Name,Team Name,Player's Name,First Name,Last Name,Local ID,Primary email address",
        ),
        (
            "EventConnect roster",
            "Date of Birth,Gender,Mobile Country,Mobile,Jersey Number,Role ID,Guardian First Name,Guardian Last Name",
        ),
        ("Playbook schedule", "Date,Time,Home Team,Away Team,Location,Sublocation"),
    ];

    fn header(text: &str) -> Vec<String> {
        text.to_lowercase().split([',', '\t']).map(str::to_owned).collect()
    }

    #[test]
    fn every_product_is_recognized_by_its_header_only() {
        for (product, text) in HEADERS {
            let header = header(text);
            assert_eq!(recognise(&header).map(|found| found.title), Some(*product), "{text}");
            let has = |column: &&str| header.iter().any(|name| name == column);
            let all = PRODUCTS.iter().filter(|product| product.columns.iter().all(has));
            assert_eq!(all.count(), 1, "{text}");
        }
        let shown = |product: &str| HEADERS.iter().any(|(shown, _)| *shown == product);
        assert!(PRODUCTS.iter().skip(3).all(|product| shown(product.title)), "each has a header above");
    }

    #[test]
    fn a_hand_made_table_is_not_recognized() {
        for text in
            ["date,time,home team,away team,location", "date,home,away,venue,round", "name,email,role", ""]
        {
            assert_eq!(recognise(&header(text)), None, "{text}");
        }
    }
}
