//! Lists: how many, from where, and what comes next.
//!
//! A cursor is the point in the list's order where the page before ended, signed together with the operation, the caller and the
//! filters: it is good for nothing else.

use axum::http::header;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use fieldhouse_api::{Code, Op, Page, PageInfo};
use fieldhouse_domain::search;
use serde::Serialize;
use serde::de::DeserializeOwned;
use subtle::ConstantTimeEq;

use super::Call;
use crate::answer::Answered;
use crate::failure::Failure;
use crate::key_ring::Purpose;

/// How many bytes of the signature a cursor carries.
const SIGNATURE: usize = 16;

/// How many records a list gives: unless asked otherwise, and at most.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Unless asked otherwise.
    pub default: u32,
    /// At most.
    pub most: u32,
}

impl Bounds {
    /// What most lists give.
    pub const USUAL: Self = Self { default: 25, most: 100 };
}

/// A part of a list that is to be read.
pub struct Part<P> {
    /// How many records at most.
    pub limit: u32,
    /// After which point; none: from the start.
    pub after: Option<P>,
}

impl<P> Part<P> {
    /// How many to read: one more than to give, to see whether more follow.
    pub fn reach(&self) -> u32 {
        self.limit + 1
    }
}

impl<O: Op> Call<O> {
    /// Which part of the list is wanted.
    pub fn part<P: DeserializeOwned>(
        &self,
        limit: Option<u32>,
        cursor: Option<&str>,
        bounds: Bounds,
    ) -> Result<Part<P>, Failure> {
        let limit = limit.unwrap_or(bounds.default);
        if limit == 0 || limit > bounds.most {
            let fix = format!("ask for 1 to {}", bounds.most);
            return Err(Failure::parameter(Code::InvalidParameter, "limit", "is out of range", fix));
        }
        let after = cursor.map(|cursor| self.point(cursor)).transpose()?;
        Ok(Part { limit, after })
    }

    /// The folded words of the parameter `q`.
    pub fn words(&self, q: Option<&str>) -> Result<Vec<String>, Failure> {
        search::words(q.unwrap_or_default()).map_err(|wrong| {
            let fix = wrong.fix.unwrap_or_default();
            Failure::parameter(Code::InvalidParameter, "q", wrong.message, fix)
        })
    }

    /// Cuts what was read to what is to be given, and tells what comes next. `point` is where a record stands in the list's order.
    pub fn page_info<P, T, N: Serialize>(
        &self,
        part: &Part<P>,
        read: &mut Vec<T>,
        point: impl Fn(&T) -> N,
    ) -> Result<PageInfo, Failure> {
        let limit = part.limit as usize;
        let has_more = read.len() > limit;
        read.truncate(limit);
        let next_cursor = match read.last() {
            Some(last) if has_more => Some(self.cursor(&point(last))?),
            _ => None,
        };
        Ok(PageInfo { limit: part.limit, has_more, next_cursor })
    }

    /// The link to what comes next (RFC 8288).
    pub fn next_link(&self, page: &PageInfo) -> Option<String> {
        let cursor = page.next_cursor.as_ref()?;
        let mut query = form_urlencoded::Serializer::new(String::new());
        for (name, value) in form_urlencoded::parse(self.context.query.as_bytes()) {
            if name != "cursor" {
                query.append_pair(&name, &value);
            }
        }
        query.append_pair("cursor", cursor);
        Some(format!("<{}?{}>; rel=\"next\"", self.context.path, query.finish()))
    }

    fn cursor(&self, point: &impl Serialize) -> Result<String, Failure> {
        let point = serde_json::to_vec(point).map_err(|error| Failure::internal(error.to_string()))?;
        let signature = self.app.key_ring.mac(Purpose::Cursor, &self.signed(&point)?);
        Ok(URL_SAFE_NO_PAD.encode([&signature[..SIGNATURE], &point].concat()))
    }

    fn point<P: DeserializeOwned>(&self, cursor: &str) -> Result<P, Failure> {
        let wrong = || Failure::of(Code::InvalidCursor);
        let bytes = URL_SAFE_NO_PAD.decode(cursor).map_err(|_| wrong())?;
        let (signature, point) = bytes.split_at_checked(SIGNATURE).ok_or_else(wrong)?;
        let signed = self.signed(point)?;
        let mut expected = self.app.key_ring.macs(Purpose::Cursor, &signed);
        if !expected.any(|(_, expected)| bool::from(expected[..SIGNATURE].ct_eq(signature))) {
            return Err(wrong());
        }
        serde_json::from_slice(point).map_err(|_| wrong())
    }

    /// What a cursor's signature covers.
    fn signed(&self, point: &[u8]) -> Result<Vec<u8>, Failure> {
        let mut filters =
            serde_json::to_value(&self.query).map_err(|error| Failure::internal(error.to_string()))?;
        if let Some(filters) = filters.as_object_mut() {
            filters.retain(|name, _| name != "cursor" && name != "limit");
        }
        let caller = match self.member() {
            Some(scope) => format!("{} {}", scope.organization(), scope.user()),
            None => self.context.header(crate::auth::credentials::GUEST_TOKEN).unwrap_or_default().to_owned(),
        };
        let head = format!("{}\n{caller}\n{filters}\n", O::OPERATION.id());
        Ok([head.as_bytes(), point].concat())
    }
}

impl<O: Op> Call<O> {
    /// Answers with a page, and the link to the next one.
    pub fn page<T>(&self, page: Page<T>) -> Result<Answered<O>, Failure>
    where
        O: Op<Answer = Page<T>>,
        Page<T>: Serialize,
    {
        let link = self.next_link(&page.page);
        let answered = Answered::json(&page)?;
        Ok(match link {
            Some(link) => answered.header(header::LINK, link),
            None => answered,
        })
    }
}
