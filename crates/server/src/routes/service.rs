//! The service itself: documents, public keys, health.

use std::sync::LazyLock;

use axum::http::header;
use fieldhouse_api::auth::{JsonWebKeySet, OpenIdConfiguration, ProtectedResource};
use fieldhouse_api::service::{Health, OpenApiDocument, Readiness, RetentionPolicy};
use fieldhouse_api::{Code, Data, Op, op};

use crate::answer::Answered;
use crate::call::Call;
use crate::failure::Failure;
use crate::{docs_files, openapi, pages};

pub(crate) async fn json_web_keys(call: Call<op::JsonWebKeys>) -> Result<Answered<op::JsonWebKeys>, Failure> {
    let keys: JsonWebKeySet = call.app.tokens.public_keys();
    Answered::json(&keys)
}

pub(crate) async fn openid_configuration(
    call: Call<op::OpenIdConfiguration>,
) -> Result<Answered<op::OpenIdConfiguration>, Failure> {
    let base = &call.app.base_url;
    Answered::json(&OpenIdConfiguration {
        issuer: base.clone(),
        jwks_uri: format!("{base}{}", op::JsonWebKeys::ROW.path),
        token_endpoint: format!("{base}{}", op::AuthLogin::ROW.path),
        response_types_supported: Vec::new(),
        subject_types_supported: vec!["public".to_owned()],
        id_token_signing_alg_values_supported: vec!["EdDSA".to_owned()],
        grant_types_supported: vec!["password".to_owned(), "refresh_token".to_owned()],
    })
}

pub(crate) async fn protected_resource(
    call: Call<op::ProtectedResource>,
) -> Result<Answered<op::ProtectedResource>, Failure> {
    let base = &call.app.base_url;
    Answered::json(&ProtectedResource {
        resource: base.clone(),
        authorization_servers: vec![base.clone()],
        jwks_uri: format!("{base}{}", op::JsonWebKeys::ROW.path),
        bearer_methods_supported: vec!["header".to_owned()],
        resource_documentation: format!("{base}{}", op::Docs::ROW.path),
    })
}

pub(crate) async fn openapi(call: Call<op::OpenApi>) -> Result<Answered<op::OpenApi>, Failure> {
    // Servers in one process, as in tests, differ only in their URL.
    static DOCUMENT: LazyLock<serde_json::Value> =
        LazyLock::new(|| serde_json::to_value(openapi::document("/")).unwrap_or_default());
    let mut document = DOCUMENT.clone();
    document["servers"][0]["url"] = call.app.base_url.as_str().into();
    Answered::json(&OpenApiDocument(document))
}

pub(crate) async fn home(_: Call<op::Home>) -> Result<Answered<op::Home>, Failure> {
    Ok(Answered::html(pages::home()))
}

pub(crate) async fn retention_policy(
    _: Call<op::RetentionPolicy>,
) -> Result<Answered<op::RetentionPolicy>, Failure> {
    Answered::json(&Data { data: RetentionPolicy::of_server() })
}

pub(crate) async fn retention_page(
    _: Call<op::RetentionPage>,
) -> Result<Answered<op::RetentionPage>, Failure> {
    Ok(Answered::html(pages::retention()))
}

pub(crate) async fn docs(_: Call<op::Docs>) -> Result<Answered<op::Docs>, Failure> {
    Ok(Answered::html(pages::docs()))
}

pub(crate) async fn docs_asset(call: Call<op::DocsAsset>) -> Result<Answered<op::DocsAsset>, Failure> {
    let file = docs_files::find(call.path()?).ok_or_else(Failure::not_found)?;
    let (bytes, coding) = file.bytes(&call.context.headers);
    let answered = Answered::asset(file.media_type, bytes).header(header::VARY, "Accept-Encoding");
    Ok(match coding {
        Some(coding) => answered.header(header::CONTENT_ENCODING, coding),
        None => answered,
    })
}

pub(crate) async fn problem_page(call: Call<op::ProblemPage>) -> Result<Answered<op::ProblemPage>, Failure> {
    let code: Code = call.path()?.parse().map_err(|_| Failure::not_found())?;
    Ok(Answered::html(pages::problem(code)))
}

pub(crate) async fn health(_: Call<op::Health>) -> Result<Answered<op::Health>, Failure> {
    Answered::json(&Health { status: "ok".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() })
}

pub(crate) async fn ready(call: Call<op::Ready>) -> Result<Answered<op::Ready>, Failure> {
    let initialised = fieldhouse_store::organizations::any(&mut call.store()).await?;
    if !initialised {
        let detail = "The server has no organization yet. Run fieldhouse init.";
        return Err(Failure::new(Code::Unavailable, detail));
    }
    let engine = call.store().engine().name().to_owned();
    Answered::json(&Readiness { status: "ready".to_owned(), engine })
}
