//! Lists as streams of pages and records.

use fieldhouse_client::Method;
use fieldhouse_client::api::Page;
use fieldhouse_client::api::request::RecordListQuery;
use fieldhouse_client::api::seasons::SeasonListQuery;
use fieldhouse_domain::sports::Sport;
use futures_util::TryStreamExt;
use serde_json::Value;

use crate::support::{Reply, Stub};
use crate::{client, code, page};

fn three_pages() -> Stub {
    Stub::new(|seen| {
        let cursor = seen.query.split('&').find_map(|pair| pair.strip_prefix("cursor="));
        Reply::json(
            200,
            &match cursor {
                None => page(&["A", "B"], Some("one+/=")),
                Some("one%2B%2F%3D") => page(&["C"], Some("two")),
                Some(_) => page(&["D"], None),
            },
        )
    })
}

#[tokio::test]
async fn a_stream_follows_every_cursor_and_keeps_the_filters() {
    let stub = three_pages();
    let query = SeasonListQuery {
        sport: Some(Sport::stored("track & field".to_owned())),
        records: RecordListQuery { limit: Some(2), ..RecordListQuery::default() },
        ..SeasonListQuery::default()
    };
    let seasons: Vec<_> = client(&stub).seasons().list(&query).stream().try_collect().await.expect("seasons");
    assert_eq!(seasons.iter().map(|season| season.name.as_str()).collect::<String>(), "ABCD");
    let queries: Vec<_> = stub.seen().into_iter().map(|seen| seen.query).collect();
    assert_eq!(
        queries,
        [
            "sport=track+%26+field&limit=2",
            "sport=track+%26+field&limit=2&cursor=one%2B%2F%3D",
            "sport=track+%26+field&limit=2&cursor=two",
        ]
    );
}

#[tokio::test]
async fn pages_are_requested_only_when_needed() {
    let stub = three_pages();
    let mut pages = client(&stub).seasons().list(&SeasonListQuery::default()).pages();
    let first = pages.try_next().await.expect("a page").expect("a page");
    assert!(first.page.has_more);
    assert_eq!(stub.seen().len(), 1);
}

#[tokio::test]
async fn a_list_as_csv_follows_its_links() {
    let stub = Stub::new(|seen| {
        assert_eq!(seen.header("accept"), Some("text/csv"));
        let link = "</api/v1/seasons?sport=x&cursor=one%2B%2F%3D>; rel=\"next\"";
        match seen.nth {
            0 => Reply::text(200, "name\r\nA\r\n").header("link", link),
            _ => Reply::text(200, "name\r\n\"B\r\nC\"\r\n"),
        }
    });
    let pages: Vec<_> =
        client(&stub).seasons().list(&SeasonListQuery::default()).csv().try_collect().await.expect("pages");
    assert_eq!((pages.len(), pages[0].has_more, pages[1].has_more), (2, true, false));
    assert_eq!(format!("{}{}", pages[0].text, pages[1].rows()), "name\r\nA\r\n\"B\r\nC\"\r\n");
    assert_eq!(stub.seen()[1].query, "cursor=one%2B%2F%3D");
}

#[tokio::test]
async fn any_path_can_be_followed() {
    let stub = three_pages();
    let request = client(&stub).request::<Page<Value>>(Method::GET, "/api/v1/seasons?sport=x");
    let names: Vec<_> =
        request.stream().map_ok(|it| it["name"].clone()).try_collect().await.expect("seasons");
    assert_eq!(names, ["A", "B", "C", "D"]);
}

#[tokio::test]
async fn an_error_ends_a_stream() {
    let stub = Stub::new(|seen| match seen.nth {
        0 => Reply::json(200, &page(&["A"], Some("old"))),
        _ => Reply::problem(400, "invalid_cursor"),
    });
    let stream = client(&stub).seasons().list(&SeasonListQuery::default()).stream();
    assert_eq!(code(stream.try_collect::<Vec<_>>().await), "invalid_cursor");
}
