//! Venues in responses.

use crate::spreadsheet::Sheet;

/// The columns of the list of venues as CSV.
pub const SHEET: Sheet = Sheet::of_page(&[
    "id",
    "name",
    "address",
    "latitude",
    "longitude",
    "time_zone",
    "fields",
    "created_at",
    "updated_at",
    "version",
]);
