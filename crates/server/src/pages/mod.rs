//! HTML pages: the start page, the documentation page, the pages of error codes, and those that links of messages open (`people.rs`); and
//! `docs/errors.md`.

pub(crate) mod people;

use std::fmt::Write as _;
use std::sync::LazyLock;

use axum::http::{HeaderName, HeaderValue, header};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use fieldhouse_api::envelope::{Form, Html};
use fieldhouse_api::service::RetentionPolicy;
use fieldhouse_api::{Code, Op as _, op};
use sha2::{Digest, Sha256};

use crate::failure::Failure;

/// The style of all pages but the documentation page.
const STYLE: &str = "
body { font: 1.1rem/1.6 system-ui, sans-serif; max-width: 36rem; margin: 4rem auto; padding: 0 1.5rem; color: #1b2733; background: #fff; }
h1 { font-size: 1.6rem; line-height: 1.25; }
code { background: #eef2f5; padding: .1em .35em; border-radius: .25em; overflow-wrap: anywhere; }
dt { margin-top: 1.2rem; font-weight: 600; }
dd { margin-left: 0; }
label { display: block; margin-top: 1.2rem; font-weight: 600; }
input { box-sizing: border-box; width: 100%; font: inherit; padding: .5rem .6rem; border: 1px solid #8a98a5; border-radius: .4rem; }
button { font: inherit; font-weight: 600; margin-top: 1.6rem; padding: .6rem 1.4rem; border: 0; border-radius: .4rem; color: #fff; background: #0b5fad; }
a { color: #0b5fad; }
.hint, .status { color: #5b6b7a; font-size: .95rem; }
.alert { border-left: .3rem solid #b3261e; padding: .1rem 1rem; background: #fdf0ef; color: #601410; }
@media (prefers-color-scheme: dark) {
  body { color: #e6edf3; background: #11181f; }
  code { background: #1f2a35; }
  input { color: #e6edf3; background: #1f2a35; }
  a { color: #7db8f0; }
  .hint, .status { color: #9fb0c0; }
  .alert { background: #3a1512; color: #f9dedc; }
}
";

/// What a page with a form may load and where its form may be sent: its own style, this server.
static POLICY: LazyLock<HeaderValue> = LazyLock::new(|| {
    let style = STANDARD.encode(Sha256::digest(STYLE.as_bytes()));
    let policy = format!(
        "default-src 'none'; style-src 'sha256-{style}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    );
    HeaderValue::try_from(policy).unwrap_or(HeaderValue::from_static("default-src 'none'"))
});

/// The headers that protect a page whose address contains a token.
pub(crate) fn protection() -> [(HeaderName, HeaderValue); 2] {
    [
        (header::CONTENT_SECURITY_POLICY, POLICY.clone()),
        (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    ]
}

/// A page with a title and a content, which is HTML.
pub(crate) fn layout(title: &str, content: &str) -> Form {
    Form(format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title} - Fieldhouse</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n{content}</main>\n</body>\n</html>\n"
    ))
}

/// What is wrong and what to do, as paragraphs.
pub(crate) fn paragraphs(failure: &Failure) -> String {
    let sentences = failure.sentences();
    sentences.iter().fold(String::new(), |lines, line| format!("{lines}<p>{}</p>\n", escape(line)))
}

/// The page of a failure that has none of its own.
pub(crate) fn failed(failure: &Failure, request_id: &str) -> Form {
    let code = failure.code();
    let title = escape(code.title());
    let lines = paragraphs(failure);
    let content = format!(
        "<h1>{title}</h1>\n{lines}<p class=\"hint\" data-code=\"{code}\">Request {}</p>\n",
        escape(request_id)
    );
    layout(&title, &content)
}

/// The start page.
pub fn home() -> Html {
    let content = "<h1>Fieldhouse</h1>\n<p>This is the server of a youth-sports organization: its seasons, teams, games and members. \
                   People use it through an app or the command-line tool, programs with an API key.</p>\n<ul>\n\
                   <li><a href=\"/docs\">Documentation</a>, where requests can be sent</li>\n\
                   <li><a href=\"/openapi.json\">OpenAPI document</a>, to generate a client</li>\n\
                   <li><a href=\"/forgot-password\">Forgot your password?</a></li>\n\
                   <li><a href=\"/privacy\">How long data is kept</a></li>\n\
                   <li><a href=\"/readyz\">Status</a></li>\n</ul>\n";
    Html(layout("Start", content).0)
}

/// How long data is kept.
pub(crate) fn retention() -> Html {
    let rows = RetentionPolicy::of_server().rules.into_iter().fold(String::new(), |rows, rule| {
        let days = if rule.days == 1 { "1 day".to_owned() } else { format!("{} days", rule.days) };
        let (what, since) = (escape(&rule.description), escape(&rule.since));
        format!("{rows}<dt>{what}</dt>\n<dd>{days} after {since}</dd>\n")
    });
    let content = format!(
        "<h1>How long data is kept</h1>\n<p>This server removes the following by itself, at most an hour late. Everything else stays until \
         someone deletes it. Backups keep what they contain until they are deleted.</p>\n<dl>\n{rows}</dl>\n\
         <p class=\"hint\">Programs read it at <code>{}</code>.</p>\n",
        op::RetentionPolicy::ROW.path
    );
    Html(layout("How long data is kept", &content).0)
}

/// The documentation page, where requests can be sent.
pub fn docs() -> Html {
    Html(
        r#"<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Fieldhouse API</title>
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="icon" type="image/png" href="/docs/favicon-32x32.png" sizes="32x32">
</head>
<body>
<div id="swagger-ui"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/swagger-ui-standalone-preset.js"></script>
<script src="/docs/swagger-initializer.js"></script>
</body>
</html>
"#
        .to_owned(),
    )
}

/// The page that explains a code.
pub fn problem(code: Code) -> Html {
    let retry = if code.retryable() {
        "The same request may succeed later."
    } else {
        "The same request will fail again."
    };
    let content = format!(
        "<p class=\"status\">HTTP {status} <code>{code}</code></p>\n<h1>{title}</h1>\n<p>{advice}</p>\n<p>{retry}</p>\n\
         <p><a href=\"/docs\">API documentation</a></p>\n",
        status = code.status(),
        title = escape(code.title()),
        advice = escape(code.advice()),
    );
    Html(layout(code.name(), &content).0)
}

/// Text as HTML.
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// All codes, as a Markdown table.
pub fn errors_markdown() -> String {
    let mut page = String::from(
        "# Error codes\n\nGenerated from the table in `crates/api/src/problems.rs`; run `cargo xtask gen` after changing it.\n\n\
         Every error response is `application/problem+json` (RFC 9457) and has one of these codes.\n\
         Codes that no operation in the OpenAPI document lists are reserved for later operations, except `method_not_allowed`.\n\n\
         | code | status | retry | what it means | what to do |\n|---|---|---|---|---|\n",
    );
    for code in Code::ALL {
        let retry = if code.retryable() { "yes" } else { "no" };
        let (status, title, advice) = (code.status(), code.title(), code.advice());
        // Writing to a string does not fail.
        let _ = writeln!(page, "| `{code}` | {status} | {retry} | {title} | {advice} |");
    }
    page
}
