//! Reading a list to its end, page by page, as a client does.

/// How many a page may hold.
pub(crate) const PAGE: u32 = 2;

/// All pages. `point` says where the next one goes on, by the last of the one before; `read` reads [`PAGE`] from there.
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
    panic!("the pages have no end");
}
