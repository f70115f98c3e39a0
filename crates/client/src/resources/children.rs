//! Children, and the classes of their data.

use fieldhouse_api::children::{
    ChangeChild, ChangeChildContact, ChangeChildEmergency, ChangeChildIdentity, ChangeChildMedical,
    ChangeChildPerformance, NewPerson,
};
use fieldhouse_api::request::ListQuery;
use fieldhouse_domain::ids::ChildId;

use crate::resources::resource;

resource! {
    /// Children. A relation to the child opens each class of its data; a role alone opens none.
    ///
    /// ```no_run
    /// # async fn example(client: fieldhouse_client::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// for child in client.children().list(&Default::default()).await?.data {
    ///     println!("{} ({})", child.display_name, child.capacity);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    Children {
        /// Lists the children of whom a relation of the caller opens the roster, by name.
        list(query: ListQuery) => ChildList;
        /// Creates a child, with the caller as its first guardian.
        create(body: NewPerson) => ChildCreate;
        /// Reads a child as a roster shows it.
        read(id: ChildId) => ChildRead;
        /// Reads the profile of a child.
        profile(id: ChildId) => ChildProfileRead;
        /// Changes the profile of a child.
        change_profile(id: ChildId, body: ChangeChild) => ChildProfileChange;
        /// Reads the legal names and the date of birth of a child.
        identity(id: ChildId) => ChildIdentityRead;
        /// Changes the legal names or the date of birth of a child.
        change_identity(id: ChildId, body: ChangeChildIdentity) => ChildIdentityChange;
        /// Reads how to reach a child's family.
        contact(id: ChildId) => ChildContactRead;
        /// Changes how to reach a child's family.
        change_contact(id: ChildId, body: ChangeChildContact) => ChildContactChange;
        /// Reads what someone must know about a child in an emergency.
        emergency(id: ChildId) => ChildEmergencyRead;
        /// Changes what someone must know about a child in an emergency.
        change_emergency(id: ChildId, body: ChangeChildEmergency) => ChildEmergencyChange;
        /// Reads what is known about a child's health.
        medical(id: ChildId) => ChildMedicalRead;
        /// Changes what is known about a child's health.
        change_medical(id: ChildId, body: ChangeChildMedical) => ChildMedicalChange;
        /// Reads notes and measurements of coaches.
        performance(id: ChildId) => ChildPerformanceRead;
        /// Changes notes and measurements of coaches.
        change_performance(id: ChildId, body: ChangeChildPerformance) => ChildPerformanceChange;
        /// Lists who saw data of a child, latest first.
        access_log(id: ChildId, query: ListQuery) => ChildAccessLog;
        /// Lists the changes of what is recorded about a child, newest first.
        history(id: ChildId, query: ListQuery) => ChildHistory;
    }
}
