use jiff::Timestamp;
use proptest::prelude::*;

use super::*;
use fieldhouse_domain::Moment;
use fieldhouse_domain::colleges::{College, Program};

const COLLEGES: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/college/colleges.csv"));
const SOFTBALL: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/college/programs-softball.csv"));

/// The EADA's own layout, with the columns that are read. Its column names have both spellings.
const SCHOOLS: &str = "\
UNITID,institution_name,city_txt,STATE_CD,zip_text,classification_code,classification_name,ClassificationOther,EFTotalCount,\
sector_cd,sector_name,SPORTSCODE,PARTIC_MEN,PARTIC_WOMEN,PARTIC_COED_MEN,PARTIC_COED_WOMEN,REV_MEN,Sports
100654,Alabama A & M University,Normal,AL,35762,2,NCAA Division I-FCS,,5300,1,\"Public, 4-year or above\",2,14,16,,,9000,Basketball
100654,Alabama A & M University,Normal,AL,35762,2,NCAA Division I-FCS,,5300,1,\"Public, 4-year or above\",22,0,31,0,0,,Softball
105297,Dine College,Tsaile,AZ,86556,8,Other,\"NIRA, USAA and USCAA\",816,1,\"Public, 4-year or above\",33,,,5,7,,\"Track and Field, Outdoor\"
800001,Simon Fraser University,Burnaby,,V5A 1S6,5,NCAA Division II without football,,,9,Sector Unknown,22,,19,,,,Softball
";

fn catalogue(text: &str) -> Catalogue {
    read(text.as_bytes(), None).expect("a table")
}

fn moment() -> Moment {
    Moment::new(Timestamp::from_second(1_750_000_000).expect("a time"), 7)
}

/// Imports a file and returns the resulting catalogue.
fn import(text: &str, year: Option<&str>, mut existing: Existing) -> (Plan, Existing) {
    let file = read(text.as_bytes(), year).expect("a table");
    let plan =
        plan(&Moment::new(moment().now(), existing.colleges.len() as u128 * 1_000_000), file, &existing);
    apply(&mut existing.colleges, plan.colleges.clone(), |college| college.id.to_string());
    apply(&mut existing.programs, plan.programs.clone(), |program| program.id.to_string());
    (plan, existing)
}

fn apply<T>(records: &mut Vec<T>, changes: Changes<T>, id: impl Fn(&T) -> String) {
    for after in changes.updated {
        let index = records.iter().position(|record| id(record) == id(&after)).expect("it exists");
        records[index] = after;
    }
    records.extend(changes.created);
}

fn college(existing: &Existing, unitid: i64) -> &College {
    existing.colleges.iter().find(|college| college.unitid == unitid).expect("the college")
}

fn program<'e>(existing: &'e Existing, unitid: i64, sport: &str) -> &'e Program {
    let of = college(existing, unitid).id;
    let wanted = |program: &&Program| program.college_id == of && program.sport.as_str() == sport;
    existing.programs.iter().find(wanted).expect("the program")
}

#[test]
fn a_table_of_colleges_is_read() {
    let (plan, existing) = import(COLLEGES, None, Existing::default());
    let counts = CollegeCounts { colleges_created: 2040, rows: 2040, ..CollegeCounts::default() };
    assert_eq!((plan.counts, plan.bad), (counts, vec![]));
    let zips = |wanted: fn(&str) -> bool| {
        existing.colleges.iter().filter(|college| college.zip.as_deref().is_some_and(wanted)).count()
    };
    assert_eq!((zips(|zip| zip.starts_with('0')), zips(|zip| zip.len() == 10)), (187, 1216));
    assert_eq!(college(&existing, 128_498).zip.as_deref(), Some("06511-1189"));
    let bethels = existing.colleges.iter().filter(|college| college.name.as_str() == "Bethel University");
    assert_eq!(bethels.count(), 3, "names are shared");
    assert!(existing.colleges.iter().any(|college| college.name.as_str() == "D'Youville University"));
    assert_eq!(college(&existing, 105_297).division.as_deref(), Some("NIRA, USAA and USCAA"));
    assert_eq!(college(&existing, 117_788).division.as_deref(), Some("CCCAA"), "not the Unknown beside it");
    let abroad = college(&existing, 800_001);
    assert_eq!((abroad.state.as_deref(), abroad.zip.as_deref()), (None, None));
    assert_eq!((abroad.city.as_deref(), abroad.enrollment_total), (Some("Burnaby"), Some(13_096)));
    let (again, _) = import(COLLEGES, None, existing);
    assert_eq!(
        again.counts,
        CollegeCounts { colleges_unchanged: 2040, rows: 2040, ..CollegeCounts::default() }
    );
}

#[test]
fn programs_refer_to_colleges_and_create_missing_ones() {
    let (_, existing) = import(COLLEGES, None, Existing::default());
    let (plan, existing) = import(SOFTBALL, None, existing);
    let counts = CollegeCounts {
        colleges_created: 4,
        colleges_unchanged: 1615,
        programs_created: 1619,
        rows: 1619,
        ..CollegeCounts::default()
    };
    assert_eq!((plan.counts, plan.bad), (counts, vec![]));
    let wellesley = college(&existing, 168_218);
    assert_eq!((wellesley.name.as_str(), wellesley.state.as_deref()), ("Wellesley College", Some("MA")));
    assert_eq!(
        college(&existing, 192_703).name.as_str(),
        "Manhattan College",
        "a program renames no college"
    );
    let softball = program(&existing, 100_654, "softball");
    assert_eq!((softball.gender, softball.participants), (ProgramGender::Women, Some(31)));
    assert_eq!(
        (softball.division.as_deref(), softball.academic_year.as_deref()),
        (Some("NCAA D1"), Some("2024-25"))
    );
    let (again, existing) = import(SOFTBALL, None, existing);
    assert_eq!((again.counts.programs_unchanged, again.counts.colleges_unchanged), (1619, 1619));
    let (colleges, _) = import(COLLEGES, None, existing);
    assert_eq!((colleges.counts.colleges_unchanged, colleges.counts.colleges_created), (2040, 0));
}

#[test]
fn the_schools_table_has_colleges_and_programs() {
    let (plan, existing) = import(SCHOOLS, Some("2023-24"), Existing::default());
    let counts =
        CollegeCounts { colleges_created: 3, programs_created: 5, rows: 4, ..CollegeCounts::default() };
    assert_eq!((plan.counts, plan.bad), (counts, vec![]));
    let basketball: Vec<_> =
        plan.programs.created[..2].iter().map(|one| (one.gender, one.participants)).collect();
    assert_eq!(basketball, [(ProgramGender::Men, Some(14)), (ProgramGender::Women, Some(16))]);
    let softball = program(&existing, 100_654, "softball");
    assert_eq!((softball.gender, softball.participants), (ProgramGender::Women, Some(31)));
    assert_eq!(
        (softball.division.as_deref(), softball.academic_year.as_deref()),
        (Some("NCAA D1"), Some("2023-24"))
    );
    let track = program(&existing, 105_297, "track_and_field_outdoor");
    assert_eq!((track.gender, track.participants), (ProgramGender::Coed, Some(12)), "both columns together");
    assert_eq!(college(&existing, 105_297).division.as_deref(), Some("NIRA, USAA and USCAA"));
    assert_eq!(college(&existing, 100_654).division.as_deref(), Some("NCAA Division I-FCS"));
    assert_eq!(college(&existing, 100_654).enrollment_total, Some(5300));
    assert_eq!(college(&existing, 800_001).zip, None, "a postal code abroad is no ZIP code");
    let respelt = SCHOOLS.replace("ClassificationOther", "classification_other");
    let (again, _) = import(&respelt, Some("2023-24"), existing);
    assert_eq!((again.counts.colleges_unchanged, again.counts.programs_unchanged), (3, 5));
}

#[test]
fn a_later_year_renames_and_an_earlier_one_changes_nothing() {
    const HEADER: &str = "unitid,institution,city,state,division,sport,gender,participants,academic_year\n";
    let of_year = |participants: &str, year: &str| {
        format!("{HEADER}1,Union College,Barbourville,KY,NAIA,Softball,women,{participants},{year}\n")
    };
    let (_, existing) = import(&of_year("20", "2023-24"), None, Existing::default());
    let (earlier, existing) = import(&of_year("9", "2022-23"), None, existing);
    assert_eq!(earlier.counts.programs_unchanged, 1);
    let (later, existing) = import(&of_year("22", "2024-25"), None, existing);
    assert_eq!((later.counts.programs_updated, later.programs.updated[0].version), (1, 2));
    let (blank, existing) = import(&of_year("", ""), None, existing);
    assert_eq!(blank.counts.programs_unchanged, 1, "what is blank leaves what is there");
    let renamed = "unitid,institution,city,state,zip,division\n1,Union Commonwealth University,,KY,40906,\n";
    let (plan, existing) = import(renamed, None, existing);
    assert_eq!((plan.counts.colleges_updated, existing.colleges.len()), (1, 1));
    let college = college(&existing, 1);
    assert_eq!(college.name.as_str(), "Union Commonwealth University");
    assert_eq!(
        (college.city.as_deref(), college.zip.as_deref(), college.version),
        (Some("Barbourville"), Some("40906"), 2)
    );
}

#[test]
fn an_invalid_row_is_refused_with_its_column() {
    let bad = |text: &str| {
        let catalogue = catalogue(text);
        let [bad] = catalogue.bad.try_into().expect("one bad row");
        (bad.line, bad.column)
    };
    let colleges = "unitid,institution,city,state,zip,division\n1,Union College,Barbourville,KY,40906,NAIA\n";
    for (column, row) in [
        ("unitid", "0,Other College,Berea,KY,40404,NAIA"),
        ("unitid", "1,Union College,Barbourville,KY,40906,NAIA"),
        ("institution", "2,,Berea,KY,40404,NAIA"),
        ("state", "2,Other College,Berea,Kentucky,40404,NAIA"),
        ("zip", "2,Other College,Boston,MA,2138,NAIA"),
    ] {
        assert_eq!(bad(&format!("{colleges}{row}\n")), (3, Some(column.to_owned())), "{row}");
    }
    let programs = "unitid,institution,city,state,sport,gender,academic_year\n1,Union,Barbourville,KY,Softball,women,2024-25\n";
    for (column, row) in [
        (None, "1,Union,Barbourville,KY,SOFTBALL,Women,2024-25"),
        (Some("gender"), "2,Other,Berea,KY,Softball,ladies,2024-25"),
        (Some("sport"), "2,Other,Berea,KY,,women,2024-25"),
        (Some("academic_year"), "2,Other,Berea,KY,Softball,women,2024-26"),
    ] {
        assert_eq!(bad(&format!("{programs}{row}\n")), (3, column.map(str::to_owned)), "{row}");
    }
}

#[test]
fn a_program_without_a_gender_is_unknown() {
    let text = "unitid,institution,city,state,sport,gender\n1,Union,Berea,KY,Esports,\n1,Union,Berea,KY,Sailing,Co-Ed\n";
    let genders: Vec<_> = catalogue(text).programs.iter().map(|program| program.gender).collect();
    assert_eq!(genders, [ProgramGender::Unknown, ProgramGender::Coed]);
}

#[test]
fn the_header_determines_the_layout() {
    let wrong = |text: &str| read(text.as_bytes(), None).expect_err("no table").to_string();
    assert_eq!(
        wrong("unitid,institution_name,sports\n"),
        "the file lacks columns of the EADA table of schools: city_txt, state_cd, zip_text, classification_name, \
         partic_men, partic_women, partic_coed_men, partic_coed_women; its columns are unitid, institution_name, sports"
    );
    assert!(
        wrong("sport,gender\n")
            .starts_with("the file lacks columns of the table of college programs: unitid")
    );
    assert!(
        wrong("game date,grade\n").starts_with("the file lacks columns of the table of colleges: unitid")
    );
}

#[test]
fn academic_years_are_two_consecutive_years() {
    assert_eq!(academic_year(" 2024-25 ").as_deref(), Ok("2024-25"));
    assert_eq!(academic_year("1999-00").as_deref(), Ok("1999-00"));
    for wrong in ["2024", "2024-26", "2024-2025", "24-25", "2024/25", "+024-25", ""] {
        assert_eq!(academic_year(wrong).map_err(|wrong| wrong.code), Err("not_an_academic_year"), "{wrong}");
    }
}

/// Both tables contain 1,615 colleges, one year apart. Except for those that changed their division or have one in their own words, the
/// shortened name is the name in the other table.
#[test]
fn shortened_divisions_match_the_table_of_programs() {
    let long: std::collections::HashMap<_, _> =
        catalogue(COLLEGES).colleges.into_iter().map(|college| (college.unitid, college.division)).collect();
    let same = catalogue(SOFTBALL).programs.into_iter().filter(|program| {
        let long = long.get(&program.unitid).cloned().flatten();
        long.map(|long| divisions::short(&long)) == program.division
    });
    assert_eq!(same.count(), 1556);
}

proptest! {
    #[test]
    fn any_bytes_are_read_without_a_panic(bytes: Vec<u8>, header in 0..3usize) {
        let header = [COLLEGES, SOFTBALL, SCHOOLS][header].lines().next().unwrap_or_default();
        let _ = read(&[header.as_bytes(), b"\n", &bytes].concat(), None);
    }

    #[test]
    fn fields_of_any_text_are_read_or_refused(fields in proptest::collection::vec("[0-9A-Z \"äé-]{0,9}", 18)) {
        for header in [COLLEGES, SCHOOLS] {
            let row = fields.iter().map(|field| format!("\"{}\"", field.replace('"', "\"\""))).collect::<Vec<_>>().join(",");
            let text = format!("{}\n{row}\n", header.lines().next().unwrap_or_default());
            let catalogue = catalogue(&text);
            prop_assert_eq!(catalogue.colleges.len() + catalogue.bad.len(), usize::try_from(catalogue.rows).unwrap_or(0));
        }
    }
}
