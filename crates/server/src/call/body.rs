//! Bodies: checks size and type first, then reads the content.

use axum::body::Body;
use axum::http::{HeaderMap, header};
use bytes::Bytes;
use fieldhouse_api::Code;
use fieldhouse_api::request::BodyKind;
use fieldhouse_domain::{FieldError, Refusal, record};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde_json::{Map, Value as Json};

use super::json;
use crate::failure::{self, Failure};

/// Receives a body of the right type, up to its size limit, and parses it. An error of its content is reported later.
pub(crate) async fn receive(
    kind: BodyKind,
    headers: &HeaderMap,
    body: Body,
) -> Result<(Bytes, Result<Members, Failure>), Failure> {
    let bytes = read(kind, headers, body).await?;
    let members = parse(kind, headers, &bytes).await;
    Ok((bytes, members))
}

async fn read(kind: BodyKind, headers: &HeaderMap, body: Body) -> Result<Bytes, Failure> {
    let limit = kind.limit();
    let length =
        headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    if length.is_some_and(|length| length > limit as u64) {
        return Err(failure::too_large(limit));
    }
    refuse_other_type(kind, headers)?;
    match Limited::new(body, limit).collect().await {
        Ok(collected) => Ok(collected.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => Err(failure::too_large(limit)),
        Err(_) => Err(Failure::new(Code::MalformedJson, "The body is incomplete.")),
    }
}

fn refuse_other_type(kind: BodyKind, headers: &HeaderMap) -> Result<(), Failure> {
    let essence = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = essence.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let taken: &[&str] = match kind {
        BodyKind::None => return Ok(()),
        BodyKind::Json | BodyKind::Archive => &["application/json"],
        BodyKind::MergePatch => &["application/json", "application/merge-patch+json"],
        BodyKind::Form => &["application/x-www-form-urlencoded"],
        BodyKind::Upload => &["application/json", "multipart/form-data"],
    };
    if taken.contains(&essence.as_str()) {
        return Ok(());
    }
    let detail = format!("Send the body as {}, with that Content-Type.", taken.join(" or "));
    Err(Failure::new(Code::UnsupportedMediaType, detail))
}

/// A body whose members are known and not checked yet.
pub(crate) enum Members {
    Json(Json, Vec<String>),
    Pairs(Vec<(String, String)>),
}

impl Members {
    /// Those of a request without a body.
    pub(crate) fn none() -> Self {
        Self::Json(Json::Object(Map::new()), Vec::new())
    }

    /// Reads the content of a body.
    pub(crate) fn read<B: record::Body>(self) -> Result<B, Failure> {
        Ok(match self {
            Self::Json(json, repeated) => record::read_json(&json, repeated)?,
            Self::Pairs(pairs) => record::read_pairs(&pairs, "/")?,
        })
    }
}

async fn parse(kind: BodyKind, headers: &HeaderMap, bytes: &Bytes) -> Result<Members, Failure> {
    match kind {
        BodyKind::None => Ok(Members::none()),
        BodyKind::Upload if is_multipart(headers) => from_multipart(headers, bytes).await,
        BodyKind::Form => {
            let pairs = form_urlencoded::parse(bytes).into_owned();
            // A field of a form that was left empty is sent as an empty string.
            Ok(Members::Pairs(pairs.filter(|(_, value)| !value.is_empty()).collect()))
        }
        BodyKind::Json | BodyKind::MergePatch | BodyKind::Upload | BodyKind::Archive => {
            let (json, repeated) = json::read(bytes).map_err(|reason| malformed(&reason))?;
            Ok(Members::Json(json, repeated))
        }
    }
}

fn malformed(reason: &str) -> Failure {
    Failure::new(Code::MalformedJson, format!("The body is not valid JSON: {reason}."))
}

fn is_multipart(headers: &HeaderMap) -> bool {
    let value = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    value.trim_start().to_ascii_lowercase().starts_with("multipart/form-data")
}

/// Parses the parts of a form; each is a field of the body.
async fn from_multipart(headers: &HeaderMap, bytes: &Bytes) -> Result<Members, Failure> {
    use axum::extract::{DefaultBodyLimit, FromRequest, Multipart, Request};
    let mut request = Request::new(Body::from(bytes.clone()));
    *request.headers_mut() = headers.clone();
    // The body has been read already, within its own limit.
    DefaultBodyLimit::disable().apply(&mut request);
    let wrong = || Failure::from(form_error("", "not_a_form", "is not valid multipart/form-data".to_owned()));
    let mut form = Multipart::from_request(request, &()).await.map_err(|_| wrong())?;
    let mut pairs: Vec<(String, String)> = Vec::new();
    while let Some(part) = form.next_field().await.map_err(|_| wrong())? {
        let name = part.name().unwrap_or_default().to_owned();
        let content = part.bytes().await.map_err(|_| wrong())?;
        let text = std::str::from_utf8(&content).map_err(|error| {
            let line = content[..error.valid_up_to()].split(|byte| *byte == b'\n').count();
            let reason = format!("is not UTF-8: line {line} contains invalid bytes");
            Failure::from(form_error(&format!("/{name}"), "not_utf8", reason))
        })?;
        pairs.push((name, text.to_owned()));
    }
    Ok(Members::Pairs(pairs))
}

fn form_error(pointer: &str, code: &'static str, message: String) -> Refusal {
    let fix = Some("Save the file as UTF-8 and send it as a part of a multipart form.".to_owned());
    Refusal::Invalid(vec![FieldError { pointer: pointer.to_owned(), code, message, fix }])
}
