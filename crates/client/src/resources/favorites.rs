//! Saved college programs: the caller's, or a guest's.

use fieldhouse_api::favorites::{ChangeFavorite, FavoriteListQuery, FavoriteOrder, FavoriteSave};
use fieldhouse_domain::ids::FavoriteId;

use crate::resources::resource;

resource! {
    /// Saved college programs. Without a credential they are a guest's, whom the client knows again by [`crate::Client::guest_token`].
    Favorites {
        /// Lists the saved programs in their order.
        list(query: FavoriteListQuery) => FavoriteList;
        /// Saves a program; `meta.created` is false where it was saved already.
        add(body: FavoriteSave) => FavoriteSave;
        /// Changes what is noted of a saved program.
        change(id: FavoriteId, body: ChangeFavorite) => FavoriteChange;
        /// Removes a saved program.
        remove(id: FavoriteId) => FavoriteRemove;
        /// Puts the whole list in a new order.
        order(body: FavoriteOrder) => FavoriteOrder;
        /// Copies the list of the guest of [`crate::Builder::guest_token`] to the caller's, and ends the guest.
        claim() => FavoritesClaim;
    }
}
