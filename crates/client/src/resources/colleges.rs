//! The college catalogue: colleges and their programs.

use fieldhouse_api::colleges::{CollegeSearch, ProgramSearch};
use fieldhouse_domain::ids::{CollegeId, ProgramId};

use crate::resources::resource;

resource! {
    /// The college catalogue. It needs no credential.
    ///
    /// ```no_run
    /// # async fn example(client: fieldhouse_client::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// use fieldhouse_client::api::colleges::CollegeSearch;
    /// let query = CollegeSearch { q: Some("bethel".into()), ..CollegeSearch::default() };
    /// for college in client.colleges().search(&query).await?.data {
    ///     println!("{} {}", college.unitid, college.name);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    Colleges {
        /// Searches colleges by name.
        search(query: CollegeSearch) => CollegeSearch;
        /// Reads a college.
        read(id: CollegeId) => CollegeRead;
    }
}

resource! {
    /// College programs, one for each sport and gender. They need no credential.
    ///
    /// ```no_run
    /// # async fn example(client: fieldhouse_client::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// use fieldhouse_client::api::colleges::ProgramSearch;
    /// let query = ProgramSearch { q: Some("bethel".into()), ..ProgramSearch::default() };
    /// let found = client.colleges().programs().search(&query).await?;
    /// println!("{} programs", found.data.len());
    /// # Ok(())
    /// # }
    /// ```
    Programs {
        /// Searches programs by college and sport.
        search(query: ProgramSearch) => ProgramSearch;
        /// Reads a program.
        read(id: ProgramId) => ProgramRead;
    }
}
