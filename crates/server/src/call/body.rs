//! Bodies: their size and type first, then what they hold.

use axum::body::Body;
use axum::http::{HeaderMap, header};
use bytes::Bytes;
use fieldhouse_api::request::{Body as ApiBody, BodyKind};
use fieldhouse_api::{Code, Op};
use fieldhouse_domain::text::NotText;
use fieldhouse_domain::{FieldError, Refusal};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde::de::{DeserializeOwned, IgnoredAny};

use super::Context;
use super::wording::{self, Wording};
use crate::failure::{self, Failure};

/// How deep JSON may be nested.
const DEEPEST: u32 = 32;

/// Reads a body of the right type, up to its limit.
pub(crate) async fn read(kind: BodyKind, headers: &HeaderMap, body: Body) -> Result<Bytes, Failure> {
    if kind == BodyKind::None {
        return Ok(Bytes::new());
    }
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
        Err(_) => Err(Failure::new(Code::MalformedJson, "The body broke off before its end.")),
    }
}

fn refuse_other_type(kind: BodyKind, headers: &HeaderMap) -> Result<(), Failure> {
    let essence = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = essence.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let taken: &[&str] = match kind {
        BodyKind::None => return Ok(()),
        BodyKind::Json => &["application/json"],
        BodyKind::MergePatch => &["application/json", "application/merge-patch+json"],
        BodyKind::Upload => &["application/json", "multipart/form-data"],
    };
    if taken.contains(&essence.as_str()) {
        return Ok(());
    }
    let detail = format!("Send the body as {}, with that Content-Type.", taken.join(" or "));
    Err(Failure::new(Code::UnsupportedMediaType, detail))
}

/// What a body holds.
pub(crate) async fn parse<O: Op>(
    context: &Context,
    bytes: &Bytes,
) -> Result<<O::Body as ApiBody>::Content, Failure> {
    match O::Body::KIND {
        BodyKind::None => from_json("{}"),
        BodyKind::Upload if is_multipart(&context.headers) => from_multipart(&context.headers, bytes).await,
        BodyKind::Json | BodyKind::MergePatch | BodyKind::Upload => {
            refuse_deep(bytes)?;
            from_json(whole_object(bytes)?)
        }
    }
}

/// The text of a JSON object. A body is looked at to its end first: what is not JSON is told before what is wrong with its fields.
fn whole_object(bytes: &[u8]) -> Result<&str, Failure> {
    let text = std::str::from_utf8(bytes).map_err(|_| malformed("it is not UTF-8"))?;
    serde_json::from_str::<IgnoredAny>(text)
        .map_err(|error| malformed(&format!("see line {}, column {}", error.line(), error.column())))?;
    if text.trim_start().starts_with('{') {
        return Ok(text);
    }
    // Serde would take a list of values for an object, in the order of its fields.
    let wrong = NotText::new("not_an_object", "is not an object", "send a JSON object");
    Err(Refusal::field("", wrong).into())
}

fn from_json<T: DeserializeOwned>(text: &str) -> Result<T, Failure> {
    let mut json = serde_json::Deserializer::from_str(text);
    serde_path_to_error::deserialize(&mut json).map_err(|error| {
        let pointer = pointer(error.path());
        let inner = error.into_inner();
        let reason = inner.to_string();
        match reason.as_str() {
            // Serde's words for a number where a name of an enumeration belongs.
            reason if reason.starts_with("expected value") => invalid(pointer, "unknown variant"),
            reason if inner.is_data() => invalid(pointer, reason),
            reason => malformed(reason),
        }
    })
}

fn malformed(reason: &str) -> Failure {
    Failure::new(Code::MalformedJson, format!("The body is not JSON: {reason}."))
}

/// Serde's words for what is wrong with a value, as a field error. An unknown field is named by its own pointer.
fn invalid(pointer: String, reason: &str) -> Failure {
    let quoted = |reason: &str| reason.split('`').nth(1).map(str::to_owned);
    let Wording { message, fix } = wording::of(reason);
    let (pointer, code, message) = if reason.starts_with("unknown field") {
        (pointer, "unknown_field", "is no field of this body".to_owned())
    } else if reason.starts_with("missing field") {
        (format!("{pointer}/{}", quoted(reason).unwrap_or_default()), "required", "is missing".to_owned())
    } else if reason.starts_with("duplicate field") {
        (format!("{pointer}/{}", quoted(reason).unwrap_or_default()), "repeated", "is given twice".to_owned())
    } else if reason.starts_with("unknown variant") {
        (pointer, "unknown_value", message)
    } else {
        (pointer, "invalid", message)
    };
    Failure::from(Refusal::Invalid(vec![FieldError { pointer, code, message, fix }]))
}

/// Where in the body: an RFC 6901 JSON pointer.
fn pointer(path: &serde_path_to_error::Path) -> String {
    use serde_path_to_error::Segment;
    path.iter().fold(String::new(), |pointer, segment| match segment {
        Segment::Seq { index } => format!("{pointer}/{index}"),
        Segment::Map { key } => format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1")),
        Segment::Enum { .. } | Segment::Unknown => pointer,
    })
}

fn refuse_deep(bytes: &[u8]) -> Result<(), Failure> {
    let (mut depth, mut in_text, mut escaped) = (0u32, false, false);
    for byte in bytes {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_text => escaped = true,
            b'"' => in_text = !in_text,
            b'[' | b'{' if !in_text => depth += 1,
            b']' | b'}' if !in_text => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > DEEPEST {
            return Err(malformed(&format!("it is nested more than {DEEPEST} deep")));
        }
    }
    Ok(())
}

fn is_multipart(headers: &HeaderMap) -> bool {
    let value = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    value.trim_start().to_ascii_lowercase().starts_with("multipart/form-data")
}

/// The parts of a form, each a field of the body.
async fn from_multipart<T: DeserializeOwned>(headers: &HeaderMap, bytes: &Bytes) -> Result<T, Failure> {
    use axum::extract::{DefaultBodyLimit, FromRequest, Multipart, Request};
    let mut request = Request::new(Body::from(bytes.clone()));
    *request.headers_mut() = headers.clone();
    // The body is here already, within its own limit.
    DefaultBodyLimit::disable().apply(&mut request);
    let wrong = || {
        let reason = "is not valid multipart/form-data".to_owned();
        Failure::from(Refusal::Invalid(vec![form_error("", "not_a_form", reason)]))
    };
    let mut form = Multipart::from_request(request, &()).await.map_err(|_| wrong())?;
    let mut pairs: Vec<(String, String)> = Vec::new();
    while let Some(part) = form.next_field().await.map_err(|_| wrong())? {
        let name = part.name().unwrap_or_default().to_owned();
        let content = part.bytes().await.map_err(|_| wrong())?;
        let text = std::str::from_utf8(&content).map_err(|error| {
            let line = content[..error.valid_up_to()].split(|byte| *byte == b'\n').count();
            let reason = format!("is not UTF-8 text: line {line} holds other bytes");
            Failure::from(Refusal::Invalid(vec![form_error(&format!("/{name}"), "not_utf8", reason)]))
        })?;
        pairs.push((name, text.to_owned()));
    }
    let pairs = form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish();
    let form = serde_urlencoded::Deserializer::new(form_urlencoded::parse(pairs.as_bytes()));
    serde_path_to_error::deserialize(form)
        .map_err(|error| invalid(pointer(error.path()), &error.inner().to_string()))
}

fn form_error(pointer: &str, code: &'static str, message: String) -> FieldError {
    FieldError { pointer: pointer.to_owned(), code, message, fix: Some("save the file as UTF-8".to_owned()) }
}
