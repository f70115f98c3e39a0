//! Repeated requests: what most commands do for one whose response was not stored.

use std::str::FromStr;

use crate::Error;

/// The id of the record that the first request created.
pub(crate) fn created<I: FromStr>(id: Option<&str>) -> Result<I, Error> {
    id.and_then(|id| id.parse().ok()).ok_or_else(Error::not_found)
}

/// [`Command::again`](crate::Command::again) of a command whose record is read as it is now: `again!(|self, tx, cx| future)`, and with
/// `|self, tx, cx, id|`, `id` is that of the record that the first request created.
macro_rules! again {
    (|$self:ident, $tx:ident, $cx:ident| $stored:expr) => {
        $crate::repeated::again! { |$self, $tx, $cx, _| $stored }
    };
    (|$self:ident, $tx:ident, $cx:ident, $created:tt| $stored:expr) => {
        async fn again<'tx>(
            &$self,
            $tx: &mut fieldhouse_store::Tx<'tx>,
            $cx: &mut $crate::WriteContext<'_, 'tx>,
            created: Option<&str>,
        ) -> Result<Option<Self::Output>, $crate::Error> {
            $crate::repeated::again!(@id created $created);
            $stored.await.map(Some)
        }
    };
    (@id $from:ident _) => { let _ = $from; };
    (@id $from:ident $id:ident) => { let $id = $crate::repeated::created($from)?; };
}
pub(crate) use again;
