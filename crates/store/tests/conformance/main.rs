//! Every query of the store, through its public API, on both engines with the same assertions.
//!
//! A process of its own, so that it can be told at the end whether each engine has run every query of `query::all` in this one body.
//! To cover a new query, call what runs it in the module of its noun.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on says so by panicking, also in a function of its own"
)]

mod access;
mod api_keys;
mod bookkeeping;
mod catalogue;
mod favorites;
mod fields;
mod games;
mod guests;
mod leagues;
mod ledger;
mod members;
mod organizations;
mod paging;
mod parts;
mod seasons;
mod sessions;
mod twins;
mod two_clubs;
mod users;
mod versions;

use fieldhouse_store::Store;
use fieldhouse_testing::databases::{self, Database};

#[tokio::test]
async fn every_query_does_what_it_says_on_sqlite() {
    conforms(&databases::sqlite()).await;
}

#[tokio::test]
async fn every_query_does_what_it_says_on_postgresql() {
    conforms(&databases::postgres()).await;
}

async fn conforms(database: &Database) {
    let store = &database.open().await;
    organizations::a_new_store_has_none(store).await;
    organizations::one_is_read_found_and_changed(store).await;
    users::one_is_found_by_any_spelling_of_the_address(store).await;
    users::memberships_leave_suspended_ones_out(store).await;
    people(store).await;
    leagues(store).await;
    programs(store).await;
    versions::a_change_of_another_version_is_refused(store).await;
    twins::a_league_is_seen_and_changed_in_its_own_club(store).await;
    twins::what_people_have_is_changed_in_their_own_club(store).await;
    bookkeeping::answers_are_kept_replaced_and_forgotten(store).await;
    bookkeeping::failed_sign_ins_add_up_until_one_succeeds(store).await;
    bookkeeping::fingerprints_are_remembered_once(store).await;
    ledger::a_transaction_is_one_entry_with_every_record_before_and_after(store).await;
    ledger::each_kind_leaves_what_the_table_says(store).await;
    ledger::a_user_is_recorded_in_each_of_their_organizations(store).await;
    ledger::entries_are_filtered_and_come_newest_first(store).await;
    ledger::the_generation_rises_with_every_commit(store).await;
    ledger::erasing_clears_every_image_of_a_record_also_one_that_waits(store).await;
    parts::what_is_undone_is_in_no_record_and_in_no_entry(store).await;
    ledger::the_retention_clears_old_images_and_says_so(store).await;
    // Only debug builds remember what was run.
    #[cfg(debug_assertions)]
    assert_eq!(fieldhouse_store::query::runs::missing(store.engine()), Vec::<&str>::new(), "were never run");
}

async fn people(store: &Store) {
    members::are_listed_in_the_order_of_joining(store).await;
    members::change_and_go_but_the_last_owner_stays(store).await;
    sessions::are_listed_newest_first_while_they_are_open(store).await;
    sessions::a_refresh_token_is_good_once_and_a_reused_one_ends_the_session(store).await;
    api_keys::are_listed_newest_first_ones_own_or_everybodys(store).await;
    api_keys::read_back_whole_and_are_revoked(store).await;
    api_keys::use_is_noted_and_never_goes_back(store).await;
    access::good_credentials_open_their_own_organization(store).await;
    access::bad_credentials_open_nothing(store).await;
    access::what_a_person_loses_binds_at_once(store).await;
    access::signing_in_writes_ones_own_sessions_and_nothing_else(store).await;
    access::an_effect_stays_within_its_organization(store).await;
    access::a_permission_writes_what_its_operation_says_and_nothing_else(store).await;
    two_clubs::somebody_is_in_each_what_he_is_there(store).await;
}

async fn leagues(store: &Store) {
    seasons::are_listed_latest_first_page_by_page_with_their_divisions(store).await;
    seasons::are_filtered_and_searched_by_the_starts_of_words(store).await;
    seasons::changes_come_each_once_in_the_order_of_their_latest_entries(store).await;
    seasons::are_read_found_changed_and_deleted(store).await;
    fields::of_people_are_written_and_read_back(store).await;
    fields::of_leagues_are_written_and_read_back(store).await;
    fields::of_lists_are_written_and_read_back(store).await;
    leagues::divisions_teams_and_venues_read_back_and_change(store).await;
    games::read_back_whole_with_the_names_of_teams_and_venue(store).await;
    games::to_come_are_listed_soonest_first_and_a_day_without_time_counts_until_it_is_over(store).await;
    games::of_a_team_or_a_season_are_that_teams_or_seasons_only(store).await;
}

async fn programs(store: &Store) {
    catalogue::colleges_read_back_and_change(store).await;
    catalogue::colleges_are_found_by_the_starts_of_their_words(store).await;
    catalogue::colleges_are_filtered_by_what_they_offer(store).await;
    catalogue::programs_are_listed_by_college_and_sport(store).await;
    catalogue::an_import_is_told_the_whole_of_it(store).await;
    favorites::a_list_reads_back_in_its_order_and_changes(store).await;
    two_clubs::somebody_has_in_each_what_he_has_there(store).await;
    guests::keep_a_list_until_their_time_is_over(store).await;
    guests::a_list_is_claimed_by_who_signs_in(store).await;
}
