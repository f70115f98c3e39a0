//! The college catalogue.

use fieldhouse_api::colleges::{College, CollegeRef, Enrollment, Program};
use fieldhouse_api::{Code, Data, Page, op};
use fieldhouse_domain::colleges;
use fieldhouse_domain::ids::Id;
use fieldhouse_domain::text::fold;
use fieldhouse_store::colleges::{Filter, ProgramPoint};
use uuid::Uuid;

use crate::answer::Answered;
use crate::call::{Bounds, Call};
use crate::failure::Failure;

fn view(college: &colleges::College) -> College {
    College {
        id: college.id,
        unitid: college.unitid,
        name: college.name.to_string(),
        city: college.city.clone(),
        state: college.state.clone(),
        zip: college.zip.clone(),
        sector: college.sector.clone(),
        division: college.division.clone(),
        enrollment: Enrollment {
            men: college.enrollment_men,
            women: college.enrollment_women,
            total: college.enrollment_total,
        },
        created_at: college.created_at,
        updated_at: college.updated_at,
        version: college.version,
    }
}

fn view_program(listed: &fieldhouse_store::colleges::Program) -> Program {
    let program = &listed.program;
    Program {
        id: program.id,
        college: CollegeRef {
            id: program.college_id,
            unitid: listed.unitid,
            name: listed.college_name.clone(),
            city: listed.city.clone(),
            state: listed.state.clone(),
        },
        sport: program.sport.to_string(),
        gender: program.gender,
        division: program.division.clone(),
        participants: program.participants,
        academic_year: program.academic_year.clone(),
        created_at: program.created_at,
        updated_at: program.updated_at,
        version: program.version,
    }
}

fn state(text: Option<&str>) -> Result<Option<String>, Failure> {
    let Some(state) = text.map(|text| text.trim().to_ascii_uppercase()) else { return Ok(None) };
    if state.len() == 2 && state.bytes().all(|letter| letter.is_ascii_uppercase()) {
        return Ok(Some(state));
    }
    let fix = "Send a USPS code such as NY.";
    Err(Failure::parameter(Code::InvalidParameter, "state", "is not a USPS code", fix))
}

pub(crate) async fn search(call: Call<op::CollegeSearch>) -> Result<Answered<op::CollegeSearch>, Failure> {
    let query = &call.query;
    let part = call.part::<(String, Uuid)>(query.limit, query.cursor.as_deref(), Bounds::USUAL)?;
    let filter = Filter {
        words: call.words(query.q.as_deref())?,
        college: None,
        state: state(query.state.as_deref())?,
        division: query.division.as_deref().map(fold),
        sport: query.sport.clone(),
        gender: query.gender,
    };
    let mut found =
        fieldhouse_store::colleges::list(&mut call.store(), &filter, part.after.clone(), part.reach())
            .await?;
    let page = call.page_info(&part, &mut found, |college| (college.name.folded(), college.id.uuid()))?;
    call.page(Page { data: found.iter().map(view).collect(), deleted: None, page })
}

pub(crate) async fn programs(call: Call<op::ProgramSearch>) -> Result<Answered<op::ProgramSearch>, Failure> {
    let query = &call.query;
    let part = call.part::<ProgramPoint>(query.limit, query.cursor.as_deref(), Bounds::USUAL)?;
    let filter = Filter {
        words: call.words(query.q.as_deref())?,
        college: query.college_id,
        state: state(query.state.as_deref())?,
        division: query.division.as_deref().map(fold),
        sport: query.sport.clone(),
        gender: query.gender,
    };
    let mut found =
        fieldhouse_store::colleges::programs(&mut call.store(), &filter, part.after.clone(), part.reach())
            .await?;
    let page = call.page_info(&part, &mut found, |listed| {
        let program = &listed.program;
        (fold(&listed.college_name), program.sport.to_string(), program.gender.name(), program.id.uuid())
    })?;
    call.page(Page { data: found.iter().map(view_program).collect(), deleted: None, page })
}

pub(crate) async fn read(call: Call<op::CollegeRead>) -> Result<Answered<op::CollegeRead>, Failure> {
    let found = fieldhouse_store::colleges::read(&mut call.store(), *call.path()?).await?;
    let college = found.ok_or_else(Failure::not_found)?;
    Ok(Answered::json(&Data { data: view(&college) })?.version(college.version))
}

pub(crate) async fn read_program(call: Call<op::ProgramRead>) -> Result<Answered<op::ProgramRead>, Failure> {
    let found = fieldhouse_store::colleges::read_program(&mut call.store(), *call.path()?).await?;
    let program = found.ok_or_else(Failure::not_found)?;
    Ok(Answered::json(&Data { data: view_program(&program) })?.version(program.program.version))
}
