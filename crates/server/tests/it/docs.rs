//! The documentation page and its files.

use std::io::Read;

use fieldhouse_api::Code;
use reqwest::Method;

use crate::shapes::is_problem;
use crate::support::on_both;

/// The URLs on this server that the page refers to.
fn files(page: &str) -> Vec<&str> {
    let quoted = page.split('"').filter(|text| text.starts_with("/docs/"));
    quoted.collect()
}

#[tokio::test]
async fn every_file_of_the_page_is_served_compressed_or_not() {
    on_both(async |club| {
        let anonymous = club.anonymous();
        let page = anonymous.get("/docs").await;
        assert_eq!((page.status, page.header("content-type")), (200, "text/html; charset=utf-8"));
        assert_eq!(files(&page.text).len(), 5, "{}", page.text);
        let mut compressed = 0;
        for path in files(&page.text) {
            let ask = async |coding| {
                let request = anonymous.request(Method::GET, path).header("accept-encoding", coding);
                let response = request.send().await.expect("the server answers");
                assert_eq!(response.status(), 200, "{path}");
                let headers = response.headers().clone();
                (headers, response.bytes().await.expect("a body"))
            };
            let (headers, plain) = ask("identity").await;
            assert!(!headers.contains_key("content-encoding"), "{path}");
            let (headers, sent) = ask("gzip, deflate, br").await;
            assert!(headers.get_all("vary").iter().any(|vary| vary == "Accept-Encoding"), "{path}");
            if headers.get("content-encoding").is_some_and(|coding| coding == "gzip") {
                compressed += 1;
                let mut decompressed = Vec::new();
                flate2::read::GzDecoder::new(&*sent).read_to_end(&mut decompressed).expect(path);
                assert_eq!(plain, decompressed, "{path}");
            } else {
                assert_eq!(plain, sent, "{path}");
            }
        }
        assert_eq!(compressed, 3, "all large files are compressed");
    })
    .await;
}

#[tokio::test]
async fn the_page_shows_the_document_of_this_server() {
    on_both(async |club| {
        let script = club.anonymous().get("/docs/swagger-initializer.js").await;
        assert_eq!(script.header("content-type"), "text/javascript");
        let url = script.text.split("url: \"").nth(1).and_then(|rest| rest.split('"').next());
        let document = club.anonymous().get(url.expect("an address")).await;
        assert_eq!(document.body["openapi"], "3.1.0");
    })
    .await;
}

#[tokio::test]
async fn other_files_of_swagger_ui_are_not_served() {
    on_both(async |club| {
        for name in ["swagger-ui.js", "swagger-ui.css.gz", "index.html", "oauth2-redirect.html", "..%2Fdocs"]
        {
            is_problem(&club.anonymous().get(&format!("/docs/{name}")).await, Code::NotFound, name);
        }
    })
    .await;
}
