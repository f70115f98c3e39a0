//! Colleges and their programs.

use fieldhouse_domain::colleges::{College, Program, ProgramGender};
use fieldhouse_domain::ids::Id;
use fieldhouse_domain::sports::Sport;
use fieldhouse_domain::text::{Name, fold};
use fieldhouse_store::colleges::{Filter, Program as Listed, ProgramPoint};
use fieldhouse_store::{Error, Store, colleges};
use fieldhouse_testing::catalogue::{college, program, write};
use fieldhouse_testing::clubs;

use crate::paging::{PAGE, pages};

fn words(words: &[&str]) -> Filter {
    Filter { words: words.iter().map(|word| (*word).to_owned()).collect(), ..Filter::default() }
}

/// The names of the colleges that match a filter, read in pages of two.
async fn found(store: &Store, filter: Filter) -> Vec<String> {
    let read = async |after| colleges::list(&mut &*store, &filter, after, PAGE).await.unwrap();
    let pages = pages(|college: &College| (college.name.folded(), college.id.uuid()), read).await;
    pages.into_iter().flatten().map(|college| college.name.to_string()).collect()
}

pub(crate) async fn colleges_are_read_and_changed(store: &Store) {
    let made = College {
        city: Some("San José".to_owned()),
        zip: Some("95101-1234".to_owned()),
        sector: Some("Public, 4-year or above".to_owned()),
        division: Some("NCAA Division I-FBS".to_owned()),
        enrollment_men: Some(1),
        enrollment_women: Some(2),
        enrollment_total: Some(3),
        ..college(100_001, "Zenith State", "CA")
    };
    write(store, true, vec![made.clone()], Vec::new()).await.unwrap();
    let read = async |id| colleges::read(&mut &*store, id).await.unwrap();
    let by_unitid = async |unitid| colleges::by_unitid(&mut &*store, unitid).await.unwrap();
    assert_eq!(read(made.id).await.as_ref(), Some(&made));
    assert_eq!(by_unitid(100_001).await.as_ref(), Some(&made));
    assert_eq!((read(clubs::moment().id()).await, by_unitid(1).await), (None, None));
    let taken = write(store, true, vec![college(100_001, "Another", "CA")], Vec::new()).await;
    assert!(matches!(taken, Err(Error::Duplicate(_))), "{taken:?}");

    let renamed = College {
        name: Name::parse("Nadir College").unwrap(),
        city: None,
        state: None,
        zip: None,
        sector: None,
        division: None,
        enrollment_men: None,
        enrollment_women: None,
        enrollment_total: Some(i64::MAX),
        version: 2,
        ..made
    };
    write(store, false, vec![renamed.clone()], Vec::new()).await.unwrap();
    assert_eq!(read(renamed.id).await.as_ref(), Some(&renamed));
    assert_eq!(found(store, words(&["nadir"])).await, ["Nadir College"]);
    assert_eq!(found(store, words(&["zenith"])).await, Vec::<String>::new(), "the old words are deleted");
}

pub(crate) async fn colleges_are_found_by_prefixes_of_words(store: &Store) {
    let names =
        ["Universidad Ána G. Méndez", "Alabama A & M University", "Anaheim University", "Banana College"];
    let made = names.iter().zip(200_001..).map(|(name, unitid)| college(unitid, name, "PR")).collect();
    write(store, true, made, Vec::new()).await.unwrap();
    let find = async |sought: &[&str]| found(store, words(sought)).await;
    let (mendez, alabama, anaheim) = (names[0], names[1], names[2]);
    assert_eq!(find(&["ana"]).await, [anaheim, mendez], "prefixes of words, with or without accents");
    assert_eq!(find(&["univ"]).await, [alabama, anaheim, mendez]);
    assert_eq!(find(&["mendez", "uni"]).await, [mendez], "all words, in any order");
    assert_eq!(find(&["a", "and", "m"]).await, [alabama]);
    assert_eq!(find(&["uni", "uni"]).await, [alabama, anaheim, mendez], "a repeated word counts once");
    assert_eq!(
        find(&["a", "b", "c", "d", "e", "f"]).await,
        Vec::<String>::new(),
        "the maximum number of words"
    );
    assert_eq!(find(&["ana", "mendezz"]).await, Vec::<String>::new());
}

pub(crate) async fn colleges_are_filtered_by_programs(store: &Store) {
    let division = |name: &str| Some(name.to_owned());
    let tall = College { division: division("NCAA Division III"), ..college(300_001, "Tall College", "ZZ") };
    let small = College { division: division("NJCAA Division I"), ..college(300_002, "Small College", "ZZ") };
    let programs = vec![
        program(&tall, "rowing", ProgramGender::Women),
        program(&tall, "fencing", ProgramGender::Men),
        program(&small, "rowing", ProgramGender::Men),
    ];
    write(store, true, vec![tall, small], programs).await.unwrap();
    let of_state = Filter { state: Some("ZZ".to_owned()), ..Filter::default() };
    let with = |sport: Option<&str>, gender| Filter {
        sport: sport.map(|sport| Sport::stored(sport.to_owned())),
        gender,
        ..of_state.clone()
    };
    let find = async |filter| found(store, filter).await;
    assert_eq!(find(of_state.clone()).await, ["Small College", "Tall College"]);
    assert_eq!(find(with(Some("rowing"), None)).await, ["Small College", "Tall College"]);
    assert_eq!(find(with(Some("rowing"), Some(ProgramGender::Women))).await, ["Tall College"]);
    assert_eq!(find(with(None, Some(ProgramGender::Women))).await, ["Tall College"]);
    let both = with(Some("fencing"), Some(ProgramGender::Women));
    assert_eq!(find(both).await, Vec::<String>::new(), "one program must match both");
    let of_division = Filter { division: Some("njcaa division i".to_owned()), ..of_state.clone() };
    assert_eq!(find(of_division).await, ["Small College"]);
    assert_eq!(find(Filter { words: vec!["tall".to_owned()], ..of_state.clone() }).await, ["Tall College"]);
    assert_eq!(find(Filter { state: Some("YY".to_owned()), ..words(&["tall"]) }).await, Vec::<String>::new());
}

fn point(listed: &Listed) -> ProgramPoint {
    let program = &listed.program;
    (
        fold(&listed.college_name),
        program.sport.to_string(),
        program.gender.name().to_owned(),
        program.id.uuid(),
    )
}

pub(crate) async fn programs_are_listed_by_college_and_sport(store: &Store) {
    let (ash, birch) = (college(400_001, "Ash College", "QQ"), college(400_002, "Birch Cöllege", "QQ"));
    let full = Program {
        division: Some("NCAA Division I-FCS".to_owned()),
        participants: Some(30),
        academic_year: Some("2024-25".to_owned()),
        ..program(&birch, "rowing", ProgramGender::Coed)
    };
    let others = [
        program(&birch, "rowing", ProgramGender::Women),
        program(&birch, "archery", ProgramGender::Unknown),
        program(&ash, "tennis", ProgramGender::Men),
    ];
    let programs = others.iter().cloned().chain([full.clone()]).collect();
    write(store, true, vec![ash.clone(), birch.clone()], programs).await.unwrap();
    let list = async |filter: Filter| {
        let read = async |after| colleges::programs(&mut &*store, &filter, after, PAGE).await.unwrap();
        let pages = pages(point, read).await;
        let shown = |listed: &Listed| format!("{} {}", listed.program.sport, listed.program.gender);
        pages.iter().flatten().map(shown).collect::<Vec<_>>()
    };
    let of_state = Filter { state: Some("QQ".to_owned()), ..Filter::default() };
    let all = ["tennis men", "archery unknown", "rowing coed", "rowing women"];
    assert_eq!(list(of_state.clone()).await, all, "by college, sport and gender");
    assert_eq!(list(Filter { college: Some(birch.id), ..of_state.clone() }).await, all[1..]);
    assert_eq!(list(Filter { college: Some(birch.id), ..words(&["ash"]) }).await, Vec::<String>::new());
    assert_eq!(
        list(Filter { words: vec!["col".to_owned(), "bir".to_owned()], ..of_state.clone() }).await,
        all[1..]
    );
    let whole_word = Filter { words: vec!["birch".to_owned()], ..of_state.clone() };
    assert_eq!(list(whole_word).await, all[1..], "a word is a prefix of itself");
    let rowing = Filter { sport: Some(full.sport.clone()), ..of_state.clone() };
    assert_eq!(list(rowing.clone()).await, all[2..]);
    assert_eq!(list(Filter { gender: Some(ProgramGender::Women), ..rowing }).await, all[3..]);
    let division = Some("ncaa division i fcs".to_owned());
    assert_eq!(list(Filter { division, ..of_state }).await, ["rowing coed"]);

    let read = async |id| colleges::read_program(&mut &*store, id).await.unwrap();
    let listed = read(full.id).await.expect("the program");
    assert_eq!((&listed.program, listed.unitid, &*listed.college_name), (&full, 400_002, "Birch Cöllege"));
    assert_eq!((listed.city.as_deref(), listed.state.as_deref()), (None, Some("QQ")));
    let found =
        colleges::find_program(&mut &*store, 400_002, &full.sport, ProgramGender::Coed).await.unwrap();
    assert_eq!(found.as_ref(), Some(&listed));
    let none = colleges::find_program(&mut &*store, 400_001, &full.sport, ProgramGender::Coed).await.unwrap();
    assert_eq!(none, None);
    let bare = Program { division: None, participants: None, academic_year: None, version: 2, ..full };
    write(store, false, Vec::new(), vec![bare.clone()]).await.unwrap();
    assert_eq!(read(bare.id).await.expect("the program").program, bare);
}

pub(crate) async fn the_whole_catalogue_is_read(store: &Store) {
    let (colleges_before, programs_before) = colleges::everything(&mut &*store).await.unwrap();
    let made = college(500_777, "Whole College", "WH");
    let offered = Program { participants: Some(7), ..program(&made, "rowing", ProgramGender::Men) };
    write(store, true, vec![made.clone()], vec![offered.clone()]).await.unwrap();
    let (colleges, programs) = colleges::everything(&mut &*store).await.unwrap();
    assert_eq!((colleges.len(), programs.len()), (colleges_before.len() + 1, programs_before.len() + 1));
    assert!(colleges.contains(&made) && programs.contains(&offered));
}
