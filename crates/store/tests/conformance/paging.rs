//! Reads a list to its end in pages, as a client does.

/// The maximum size of a page.
pub(crate) const PAGE: u32 = 2;

/// Reads all pages. `point` returns the position after the last record of a page; `read` reads [`PAGE`] records after it.
pub(crate) async fn pages<T, P>(
    point: impl Fn(&T) -> P,
    read: impl AsyncFn(Option<P>) -> Vec<T>,
) -> Vec<Vec<T>> {
    let (mut pages, mut after) = (Vec::new(), None);
    while pages.len() < 100 {
        let page = read(after).await;
        assert!(u32::try_from(page.len()).is_ok_and(|length| length <= PAGE), "{} on a page", page.len());
        let Some(last) = page.last() else { return pages };
        after = Some(point(last));
        pages.push(page);
    }
    panic!("the pages do not end");
}
