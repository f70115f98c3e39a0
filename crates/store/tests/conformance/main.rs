//! Every query of the store, through its public API, on both engines with the same assertions.
//!
//! This is a process of its own, so that it can check at the end that each engine has run every query of `query::all`. To cover a new
//! query, call it in the module of its noun.

#![expect(clippy::unwrap_used, reason = "tests may panic, in helper functions too")]

mod access;
mod api_keys;
mod bookkeeping;
mod break_glass;
mod cases;
mod catalogue;
mod changesets;
mod children;
mod consents;
mod duties;
mod exports;
mod favorites;
mod fields;
mod games;
mod guardian_invitations;
mod guests;
mod impact;
mod invitations;
mod leagues;
mod ledger;
mod mail;
mod members;
mod organizations;
mod paging;
mod parts;
mod places;
mod privacy_requests;
mod relations;
mod restrictions;
mod retention;
mod rosters;
mod seasons;
mod sessions;
mod staff;
mod twins;
mod two_clubs;
mod users;
mod venues;
mod versions;

use fieldhouse_store::Store;
use fieldhouse_testing::databases::{self, Database};

#[tokio::test]
async fn every_query_works_on_sqlite() {
    conforms(&databases::sqlite()).await;
}

#[tokio::test]
async fn every_query_works_on_postgresql() {
    conforms(&databases::postgres()).await;
}

/// Each part is on the heap: the future of all of them together does not fit the stack of a thread of the tests.
async fn conforms(database: &Database) {
    let store = &database.open().await;
    organizations::a_new_store_has_none(store).await;
    organizations::one_is_read_found_and_changed(store).await;
    organizations::are_listed_for_the_operator_earliest_first(store).await;
    users::a_user_is_found_by_any_spelling_of_the_address(store).await;
    users::memberships_exclude_suspended_ones(store).await;
    Box::pin(people(store)).await;
    Box::pin(leagues(store)).await;
    seasons::of_another_version_are_rendered_again(store, database).await;
    games::of_another_version_are_rendered_again(store, database).await;
    Box::pin(families(store)).await;
    Box::pin(changes(store, database)).await;
    Box::pin(programs(store)).await;
    Box::pin(books(store)).await;
    Box::pin(entries(store)).await;
    retention::removes_what_is_old_and_writes_nothing_else(store).await;
    // Only debug builds record the queries that were run.
    #[cfg(debug_assertions)]
    assert_eq!(fieldhouse_store::query::runs::missing(store.engine()), Vec::<&str>::new(), "were never run");
}

async fn families(store: &Store) {
    children::each_class_is_read_through_a_relation(store).await;
    children::reads_are_recorded_shown_to_the_family_and_purged(store).await;
    places::are_the_days_on_a_roster_in_the_time_zone_of_the_club(store).await;
    places::of_the_family_are_those_of_children_whom_its_relations_open(store).await;
    consents::are_listed_newest_first_to_the_family(store).await;
    relations::are_listed_for_their_people_managers_and_the_family(store).await;
    relations::are_a_family_while_they_are_open(store).await;
    relations::are_proposed_decided_and_told(store).await;
    guardian_invitations::are_listed_for_the_family_and_for_registrars_who_sent_them(store).await;
    guardian_invitations::a_link_is_valid_while_its_sender_may_invite(store).await;
    restrictions::are_listed_for_leads_who_are_not_of_the_family(store).await;
    cases::are_seen_by_leads_and_admins_who_are_not_of_the_family(store).await;
    cases::hide_what_was_read_for_them_until_they_are_closed(store).await;
    break_glass::grants_are_listed_counted_and_told(store).await;
    privacy_requests::are_listed_for_their_people_and_admins(store).await;
    privacy_requests::an_erasure_leaves_nothing_that_opens(store).await;
    rosters::are_read_by_day_and_only_through_a_relation(store).await;
    rosters::are_opened_in_every_capacity_of_the_caller(store).await;
    rosters::end_with_what_they_name(store).await;
}

async fn changes(store: &Store, database: &Database) {
    impact::counts_families_and_new_clashes(store).await;
    impact::families_are_told_once_unless_it_is_undone(store).await;
    changesets::are_listed_to_managers_and_to_their_author(store).await;
    changesets::wait_for_the_server_until_their_time(store).await;
    Box::pin(changesets::have_parts_that_are_read_back(store)).await;
    changesets::what_others_simulate_counts_for_a_day(store).await;
    changesets::keep_their_latest_simulations(store).await;
    changesets::absent_people_are_judged_by_what_they_are_now(store).await;
    changesets::nothing_of_an_erased_child_can_be_read(store, database).await;
}

async fn books(store: &Store) {
    exports::everything_of_one_club_is_read_parents_first(store).await;
    exports::a_child_is_read_by_its_family(store).await;
    exports::seasons_venues_and_invitations_are_in_use(store).await;
    versions::a_change_of_another_version_is_refused(store).await;
    twins::a_league_is_read_and_changed_in_its_own_club(store).await;
    twins::records_of_users_are_changed_in_their_own_club(store).await;
    bookkeeping::responses_are_stored_replaced_and_purged(store).await;
    bookkeeping::failed_sign_ins_are_counted_for_each_source_until_one_succeeds(store).await;
    bookkeeping::fingerprints_are_stored_once(store).await;
}

async fn entries(store: &Store) {
    ledger::a_transaction_is_one_entry_with_every_record_before_and_after(store).await;
    ledger::children::their_history_is_for_the_family(store).await;
    ledger::children::images_of_many_open_together(store).await;
    ledger::undoing::entries_are_read_oldest_first_as_they_are_undone(store).await;
    ledger::undoing::images_open_to_whom_a_relation_opens_them(store).await;
    ledger::undoing::what_no_undo_writes_is_named_by_its_kind(store).await;
    ledger::each_kind_leaves_what_the_table_says(store).await;
    ledger::a_user_is_recorded_in_each_of_their_organizations(store).await;
    ledger::entries_are_filtered_and_come_newest_first(store).await;
    ledger::the_generation_rises_with_every_commit(store).await;
    ledger::erasing_clears_every_image_of_a_record_also_one_that_waits(store).await;
    parts::an_undone_part_is_in_no_record_and_no_entry(store).await;
    ledger::the_retention_clears_old_images_and_says_so(store).await;
}

async fn people(store: &Store) {
    members::are_listed_in_the_order_of_joining(store).await;
    members::are_changed_and_removed_except_the_last_owner(store).await;
    invitations::are_listed_newest_first_and_by_status(store).await;
    invitations::a_link_is_good_for_one_version(store).await;
    mail::follows_from_changes_and_is_claimed_once(store).await;
    mail::resets_are_limited_and_the_newest_counts(store).await;
    sessions::are_listed_newest_first_while_they_are_open(store).await;
    sessions::a_refresh_token_works_once_and_its_reuse_ends_the_session(store).await;
    api_keys::are_listed_newest_first_for_owners_and_admins(store).await;
    api_keys::are_read_and_revoked(store).await;
    api_keys::use_is_recorded_and_never_goes_back(store).await;
    access::valid_credentials_permit_access_to_their_organization(store).await;
    access::invalid_credentials_permit_nothing(store).await;
    access::losses_take_effect_at_once(store).await;
    access::a_suspended_organization_permits_nothing_until_it_is_resumed(store).await;
    access::signing_in_can_write_only_the_users_own_sessions(store).await;
    access::an_effect_stays_within_its_organization(store).await;
    access::a_permission_can_write_only_what_its_operation_declares(store).await;
    two_clubs::a_user_has_in_each_club_the_role_there(store).await;
}

async fn leagues(store: &Store) {
    seasons::are_listed_latest_first_in_pages_with_their_divisions(store).await;
    seasons::are_filtered_and_searched_by_prefixes_of_words(store).await;
    seasons::changed_seasons_are_listed_once_in_the_order_of_their_latest_entries(store).await;
    seasons::are_read_found_changed_and_deleted(store).await;
    fields::of_people_are_written_and_read(store).await;
    fields::of_leagues_are_written_and_read(store).await;
    fields::of_staff_are_written_and_read(store).await;
    fields::of_duties_are_written_and_read(store).await;
    fields::of_lists_are_written_and_read(store).await;
    fields::of_changesets_are_written_and_read(store).await;
    fields::children::are_written_and_read(store).await;
    leagues::divisions_teams_and_venues_are_read_and_changed(store).await;
    leagues::divisions_and_teams_are_listed_by_name_and_know_their_games(store).await;
    venues::are_listed_by_name_and_know_their_games(store).await;
    games::are_read_with_the_names_of_teams_and_venue(store).await;
    games::show_the_names_that_their_teams_and_venue_have_now(store).await;
    games::upcoming_are_listed_soonest_first_and_games_without_a_time_until_the_day_is_over(store).await;
    games::are_filtered_by_team_and_season(store).await;
    games::lists::are_listed_by_start_in_both_directions_and_filtered(store).await;
    games::lists::changed_games_have_names_and_are_listed_once(store).await;
    staff::is_listed_and_permits_while_it_is_confirmed(store).await;
    duties::are_listed_newest_first_and_filtered(store).await;
    duties::of_teams_end_with_them(store).await;
    duties::are_told_to_owners(store).await;
    games::lists::games_nearby_share_the_venue_or_a_team(store).await;
}

async fn programs(store: &Store) {
    catalogue::colleges_are_read_and_changed(store).await;
    catalogue::colleges_are_found_by_prefixes_of_words(store).await;
    catalogue::colleges_are_filtered_by_programs(store).await;
    catalogue::programs_are_listed_by_college_and_sport(store).await;
    catalogue::the_whole_catalogue_is_read(store).await;
    favorites::a_list_is_read_in_order_and_changed(store).await;
    favorites::the_list_of_a_former_member_is_purged_later(store).await;
    favorites::a_child_has_one_list_for_its_family(store).await;
    two_clubs::a_user_has_in_each_club_the_records_there(store).await;
    guests::have_a_list_until_they_expire(store).await;
    guests::a_list_can_be_claimed_by_a_user(store).await;
}
