//! Saved college programs of the caller, a child or a guest.

use fieldhouse_api::favorites::{
    ChangeFavorite, FavoriteExportQuery, FavoriteListQuery, FavoriteOrder, FavoriteSave,
};
use fieldhouse_domain::ids::FavoriteId;

use crate::resources::resource;

resource! {
    /// Saved college programs: the caller's own, or with `child_id` those of a child. Without a credential they belong to a guest, who is
    /// identified by [`crate::Client::guest_token`].
    ///
    /// ```no_run
    /// # async fn example(client: fieldhouse_client::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// use fieldhouse_client::api::favorites::FavoriteListQuery;
    /// for favorite in client.colleges().favorites().list(&FavoriteListQuery::default()).await?.data {
    ///     println!("{} {}", favorite.rank, favorite.program.college_name);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    Favorites {
        /// Lists the saved programs in order.
        list(query: FavoriteListQuery) => FavoriteList;
        /// Saves a program. `meta.created` is false if it was saved before.
        add(body: FavoriteSave) => FavoriteSave;
        /// Changes the details of a saved program.
        change(id: FavoriteId, body: ChangeFavorite) => FavoriteChange;
        /// Removes a saved program.
        remove(id: FavoriteId) => FavoriteRemove;
        /// Changes the order of the whole list.
        order(body: FavoriteOrder) => FavoriteOrder;
        /// Exports the whole list. [`crate::Call::csv`] returns it as CSV.
        export(query: FavoriteExportQuery) => FavoriteExport;
        /// Copies the list of the guest of [`crate::Builder::guest_token`] to the caller's list, and deletes the guest.
        claim() => FavoritesClaim;
    }
}
