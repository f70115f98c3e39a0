//! Colleges and programs for tests, with plain values. A test changes the fields that matter to it.

use fieldhouse_domain::colleges::{College, Program, ProgramGender};
use fieldhouse_domain::sports::Sport;
use fieldhouse_domain::text::Name;
use fieldhouse_store::{Result, Store, colleges};

use crate::clubs::{NOW, TOUCHED, moment};

/// Creates a college in a state.
pub fn college(unitid: i64, name: &str, state: &str) -> College {
    College {
        id: moment().id(),
        unitid,
        name: Name::stored(name.to_owned()),
        city: None,
        state: Some(state.to_owned()),
        zip: None,
        sector: None,
        division: None,
        enrollment_men: None,
        enrollment_women: None,
        enrollment_total: None,
        created_at: NOW,
        updated_at: TOUCHED,
        version: 1,
    }
}

/// Creates a program of a college.
pub fn program(college: &College, sport: &str, gender: ProgramGender) -> Program {
    Program {
        id: moment().id(),
        college_id: college.id,
        sport: Sport::stored(sport.to_owned()),
        gender,
        division: None,
        participants: None,
        academic_year: None,
        created_at: NOW,
        updated_at: TOUCHED,
        version: 1,
    }
}

/// Writes new or changed colleges and programs, as the operator.
#[expect(clippy::disallowed_methods, reason = "tests set up what the operator could")]
pub async fn write(store: &Store, new: bool, colleges: Vec<College>, programs: Vec<Program>) -> Result<()> {
    let operator = store.operator();
    store
        .write("testing.catalogue", async move |tx| {
            for college in &colleges {
                colleges::write(tx, &operator, new, college).await?;
            }
            for program in &programs {
                colleges::write_program(tx, &operator, new, program).await?;
            }
            Ok(())
        })
        .await
}
