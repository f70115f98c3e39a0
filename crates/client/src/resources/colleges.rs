//! The college catalogue: colleges and their programs.

use fieldhouse_api::colleges::{CollegeSearch, ProgramSearch};
use fieldhouse_domain::ids::{CollegeId, ProgramId};

use crate::resources::resource;

resource! {
    /// The college catalogue. It needs no credential.
    Colleges {
        /// Searches colleges by name.
        search(query: CollegeSearch) => CollegeSearch;
        /// Reads a college.
        read(id: CollegeId) => CollegeRead;
    }
}

resource! {
    /// College programs, one for each sport and gender. They need no credential.
    Programs {
        /// Searches programs by college and sport.
        search(query: ProgramSearch) => ProgramSearch;
        /// Reads a program.
        read(id: ProgramId) => ProgramRead;
    }
}
