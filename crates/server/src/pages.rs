//! HTML pages: the documentation page and the pages of error codes; and `docs/errors.md`.

use std::fmt::Write as _;

use fieldhouse_api::Code;
use fieldhouse_api::envelope::Html;

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
    Html(format!(
        r#"<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{code} - Fieldhouse</title>
<style>
body {{ font: 1.1rem/1.6 system-ui, sans-serif; max-width: 40rem; margin: 4rem auto; padding: 0 1.5rem; color: #1b2733; background: #fff; }}
code {{ background: #eef2f5; padding: .1em .35em; border-radius: .25em; }}
h1 {{ font-size: 1.6rem; line-height: 1.25; }}
.status {{ color: #5b6b7a; }}
@media (prefers-color-scheme: dark) {{ body {{ color: #e6edf3; background: #11181f; }} code {{ background: #1f2a35; }} .status {{ color: #9fb0c0; }} }}
</style>
</head>
<body>
<p class="status">HTTP {status} <code>{code}</code></p>
<h1>{title}</h1>
<p>{advice}</p>
<p>{retry}</p>
<p><a href="/docs">API documentation</a></p>
</body>
</html>
"#,
        status = code.status(),
        title = escape(code.title()),
        advice = escape(code.advice()),
    ))
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
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
