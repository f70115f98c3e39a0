//! The college catalogue: searches, pages and single records.

use fieldhouse_api::Code;
use fieldhouse_domain::roles::Role;
use fieldhouse_imports::colleges::read;
use fieldhouse_server::operator;
use serde_json::{Value, json};

use crate::shapes::is_problem;
use crate::support::{Club, Person, on_both};

const COLLEGES_FILE: &str = include_str!("../../../../data/college/colleges.csv");
const PROGRAMS_FILE: &str = include_str!("../../../../data/college/programs-softball.csv");
const COLLEGES: &str = "/api/v1/colleges";
const PROGRAMS: &str = "/api/v1/colleges/programs";

/// A few colleges: three with the same name, one abroad, one whose name has several spellings.
const FEW: [&str; 9] =
    ["100654", "100663", "123554", "150145", "173160", "174817", "219718", "243197", "800001"];

async fn load_files(club: &Club, files: [&str; 2]) {
    for (file, year) in files.into_iter().zip([Some("2023-24"), None]) {
        let catalogue = read(file.as_bytes(), year).expect("a file of the catalogue");
        assert_eq!(catalogue.bad, []);
        let app = &club.app;
        let loaded = operator::load_colleges(&app.store, &app.clock, catalogue, false, |_, _| {}).await;
        loaded.expect("the catalogue is loaded");
    }
}

/// Loads a few colleges with their softball programs.
pub(crate) async fn load_few(club: &Club) {
    let few = |file: &str| {
        let mut lines = file.lines();
        let wanted = |line: &&str| FEW.iter().any(|id| line.starts_with(&format!("{id},")));
        let header = lines.next().expect("a header").to_owned();
        lines.filter(wanted).fold(header, |few, line| few + "\n" + line)
    };
    load_files(club, [&few(COLLEGES_FILE), &few(PROGRAMS_FILE)]).await;
}

/// The records that a search returns.
async fn found(person: &Person, path: &str) -> Vec<Value> {
    let answer = person.get(path).await;
    assert_eq!(answer.status, 200, "{path}: {}", answer.text);
    answer.body["data"].as_array().expect("a list").clone()
}

/// The `UNITID`s of the colleges that a search returns.
async fn colleges(person: &Person, query: &str) -> Vec<i64> {
    let found = found(person, &format!("{COLLEGES}?{query}")).await;
    found.iter().map(|college| college["unitid"].as_i64().expect("a number")).collect()
}

/// The `UNITID`s of the colleges whose programs a search returns.
async fn programs(person: &Person, query: &str) -> Vec<i64> {
    let found = found(person, &format!("{PROGRAMS}?{query}")).await;
    found.iter().map(|program| program["college"]["unitid"].as_i64().expect("a number")).collect()
}

/// The softball program of a college in the catalogue.
pub(crate) async fn softball(person: &Person, unitid: i64) -> Value {
    let all = found(person, &format!("{PROGRAMS}?sport=softball&limit=100")).await;
    all.into_iter().find(|program| program["college"]["unitid"] == unitid).expect("a program")
}

/// All records of a list, from all its pages.
async fn all(person: &Person, path: &str) -> Vec<Value> {
    let (mut next, mut gathered) = (path.to_owned(), Vec::new());
    loop {
        let page = person.get(&next).await;
        assert_eq!(page.status, 200, "{next}: {}", page.text);
        gathered.extend(page.body["data"].as_array().expect("a list").iter().cloned());
        let link = page.header("link").strip_prefix('<').and_then(|link| link.split_once('>'));
        let Some((link, _)) = link else { return gathered };
        link.clone_into(&mut next);
    }
}

#[tokio::test]
async fn colleges_are_found_by_words_and_prefixes_in_any_spelling() {
    on_both(async |club| {
        load_few(&club).await;
        let anonymous = club.anonymous();
        let bethel = [150_145, 173_160, 219_718];
        for (query, mut expected) in [
            ("q=alabama", vec![100_654, 100_663]),
            ("q=a%20%26%20m", vec![100_654]),
            ("q=A%26M", vec![100_654]),
            ("q=a+and+m", vec![100_654]),
            ("q=birm+univ", vec![100_663]),
            ("q=UNIV%20birm", vec![100_663]),
            ("q=saint%20marys", vec![123_554, 174_817]),
            ("q=St.%20Mary", vec![]),
            ("q=saint+mary%E2%80%99s", vec![123_554, 174_817]),
            ("q=bethel", bethel.to_vec()),
            ("q=ethel", vec![]),
            ("q=mayagu%C3%A8z", vec![243_197]),
            ("q=bethel&state=mn", vec![173_160]),
            ("state=MN", vec![173_160, 174_817]),
            ("state=ZZ", vec![]),
            ("division=naia%20division%20i", vec![219_718]),
            ("division=NCAA+Division+III+with+football", vec![173_160]),
            ("sport=softball&gender=women&state=al", vec![100_654, 100_663]),
            ("sport=Softball&gender=men", vec![]),
            ("sport=rowing", vec![]),
            ("q=%25", FEW.iter().map(|id| id.parse().expect("a number")).collect()),
            ("q=bethel+zzz", vec![]),
        ] {
            let mut unitids = colleges(&anonymous, query).await;
            unitids.sort_unstable();
            expected.sort_unstable();
            assert_eq!(unitids, expected, "{query}");
        }
    })
    .await;
}

#[tokio::test]
async fn programs_are_found_by_college_sport_and_place() {
    on_both(async |club| {
        load_few(&club).await;
        let anonymous = club.anonymous();
        let college = found(&anonymous, "/api/v1/colleges?state=PR").await[0]["id"].clone();
        let college = college.as_str().expect("an id");
        for (query, mut expected) in [
            ("q=bethel&sport=softball", vec![150_145, 173_160, 219_718]),
            ("q=bethel&gender=men", vec![]),
            ("division=ncaa%20d1&state=al", vec![100_654, 100_663]),
            ("division=NAIA", vec![150_145, 219_718]),
            ("sport=soccer", vec![]),
            (&format!("college_id={college}"), vec![243_197]),
            (&format!("college_id={college}&q=rico"), vec![243_197]),
            (&format!("college_id={college}&q=bethel"), vec![]),
            (&format!("college_id={college}&state=AL"), vec![]),
            ("college_id=col_01h2xcejqtf2nbrexx3vqjhp41", vec![]),
        ] {
            let mut unitids = programs(&anonymous, query).await;
            unitids.sort_unstable();
            expected.sort_unstable();
            assert_eq!(unitids, expected, "{query}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_college_and_a_program_are_returned_with_all_fields() {
    on_both(async |club| {
        load_few(&club).await;
        let viewer = club.member(Role::Viewer);
        let listed = found(viewer, "/api/v1/colleges?q=mayaguez").await[0].clone();
        for (name, value) in [
            ("unitid", json!(243_197)),
            ("name", json!("University of Puerto Rico-Mayaguez")),
            ("state", json!("PR")),
            ("zip", json!("00681")),
            ("sector", json!("Public, 4-year or above")),
            ("division", json!("NCAA Division II without football")),
            ("version", json!(1)),
        ] {
            assert_eq!(listed[name], value, "{name}");
        }
        assert_eq!(listed["enrollment"]["total"], 8610);
        let read = viewer.get(&format!("{COLLEGES}/{}", listed["id"].as_str().expect("an id"))).await;
        assert_eq!(read.body["data"], listed);
        let abroad = found(viewer, "/api/v1/colleges?q=simon%20fraser").await[0].clone();
        assert_eq!((&abroad["state"], &abroad["zip"]), (&json!(null), &json!(null)));

        let program = softball(viewer, 243_197).await;
        for (name, value) in [
            ("sport", json!("softball")),
            ("gender", json!("women")),
            ("division", json!("NCAA D2")),
            ("participants", json!(12)),
            ("academic_year", json!("2024-25")),
        ] {
            assert_eq!(program[name], value, "{name}");
        }
        assert_eq!(program["college"]["id"], listed["id"]);
        let id = program["id"].as_str().expect("an id");
        let read = viewer.get(&format!("{PROGRAMS}/{id}")).await;
        assert_eq!(read.body["data"], program);
        assert_eq!(club.anonymous().get(&format!("{PROGRAMS}/{id}")).await.body, read.body);
        let unknown = viewer.get("/api/v1/colleges/programs/prg_01h2xcejqtf2nbrexx3vqjhp41").await;
        is_problem(&unknown, Code::NotFound, "an unknown program");
        is_problem(&viewer.get(&format!("{COLLEGES}/{id}")).await, Code::NotFound, "an id of another kind");
    })
    .await;
}

#[tokio::test]
async fn the_whole_catalogue_can_be_read_in_pages() {
    on_both(async |club| {
        load_files(&club, [COLLEGES_FILE, PROGRAMS_FILE]).await;
        let viewer = club.member(Role::Viewer);
        let colleges = all(viewer, "/api/v1/colleges?limit=100").await;
        // Four programs belong to colleges that are not in the file of colleges.
        assert_eq!(colleges.len(), 2040 + 4);
        let mut unitids: Vec<_> = colleges.iter().map(|college| college["unitid"].as_i64()).collect();
        unitids.sort_unstable();
        unitids.dedup();
        assert_eq!(unitids.len(), colleges.len(), "each once");
        let folded =
            |college: &Value| fieldhouse_domain::text::fold(college["name"].as_str().expect("a name"));
        assert!(colleges.iter().map(folded).is_sorted(), "by name");
        let programs = all(viewer, "/api/v1/colleges/programs?limit=99&sport=softball").await;
        assert_eq!(programs.len(), 1619);
        let new_york = all(viewer, "/api/v1/colleges?state=NY&limit=50").await;
        assert_eq!(new_york.len(), colleges.iter().filter(|college| college["state"] == "NY").count());
        let university = all(viewer, "/api/v1/colleges?q=univ&limit=100").await;
        let named = |college: &&Value| folded(college).split(' ').any(|word| word.starts_with("univ"));
        assert_eq!(university, colleges.iter().filter(named).cloned().collect::<Vec<_>>());
    })
    .await;
}
