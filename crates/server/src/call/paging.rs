//! Lists: the page size, where a page starts, and the link to the next page.
//!
//! A cursor is the position after the previous page, signed together with the operation, the caller and the filters. It is invalid for
//! anything else.

use axum::http::header;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use fieldhouse_api::{Answer, Code, Op, Page, PageInfo};
use fieldhouse_domain::rendered::Rendered;
use fieldhouse_domain::search;
use serde::Serialize;
use serde::de::DeserializeOwned;
use subtle::ConstantTimeEq;

use super::Call;
use crate::answer::Answered;
use crate::failure::Failure;
use crate::key_ring::Purpose;

/// The number of signature bytes in a cursor.
const SIGNATURE: usize = 16;

/// The page size of a list: the default and the maximum.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// The default.
    pub default: u32,
    /// The maximum.
    pub max: u32,
}

impl Bounds {
    /// The page size of most lists.
    pub const USUAL: Self = Self { default: 25, max: 100 };
}

/// The part of a list to read.
#[derive(Clone, Copy)]
pub struct Part<P> {
    /// The maximum number of records.
    pub limit: u32,
    /// The position to start after. `None` for the start.
    pub after: Option<P>,
}

impl<P> Part<P> {
    /// The number of records to read: one more than the page has, to see whether more follow.
    pub fn reach(&self) -> u32 {
        self.limit + 1
    }

    /// Those of the records that were read that are on the page.
    pub fn shown<'a, T>(&self, read: &'a [T]) -> impl Iterator<Item = &'a T> + use<'a, T, P> {
        read.iter().take(self.limit as usize)
    }
}

impl<O: Op> Call<O> {
    /// The requested part of the list.
    pub fn part<P: DeserializeOwned>(
        &self,
        limit: Option<u32>,
        cursor: Option<&str>,
        bounds: Bounds,
    ) -> Result<Part<P>, Failure> {
        let limit = limit.unwrap_or(bounds.default);
        if limit == 0 || limit > bounds.max {
            let fix = format!("Send an integer from 1 to {}.", bounds.max);
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

    /// Cuts the records that were read to the page, and says where the next page starts. `point` is the position of a record in the list.
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
        Ok(PageInfo { limit: part.limit, has_more, next_cursor, sync: None })
    }

    /// The link to the next page (RFC 8288).
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
        self.seal(&self.cursor_scope()?, point)
    }

    fn point<P: DeserializeOwned>(&self, cursor: &str) -> Result<P, Failure> {
        self.unseal(&self.cursor_scope()?, cursor)
    }

    /// Writes a value as opaque text, signed together with the scope in which it is valid.
    pub(super) fn seal(&self, scope: &str, value: &impl Serialize) -> Result<String, Failure> {
        let value = serde_json::to_vec(value).map_err(|error| Failure::internal(error.to_string()))?;
        let signed = [scope.as_bytes(), &value].concat();
        let signature = self.app.key_ring.mac(Purpose::Cursor, &signed);
        Ok(URL_SAFE_NO_PAD.encode([&signature[..SIGNATURE], &value].concat()))
    }

    /// Reads a value that [`Call::seal`] wrote for the same scope.
    pub(super) fn unseal<T: DeserializeOwned>(&self, scope: &str, text: &str) -> Result<T, Failure> {
        let wrong = || Failure::of(Code::InvalidCursor);
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| wrong())?;
        let (signature, value) = bytes.split_at_checked(SIGNATURE).ok_or_else(wrong)?;
        let signed = [scope.as_bytes(), value].concat();
        let mut expected = self.app.key_ring.macs(Purpose::Cursor, &signed);
        if !expected.any(|(_, expected)| bool::from(expected[..SIGNATURE].ct_eq(signature))) {
            return Err(wrong());
        }
        serde_json::from_slice(value).map_err(|_| wrong())
    }

    /// A cursor is valid for the operation, the caller and the filters.
    fn cursor_scope(&self) -> Result<String, Failure> {
        let mut filters =
            serde_json::to_value(&self.query).map_err(|error| Failure::internal(error.to_string()))?;
        if let Some(filters) = filters.as_object_mut() {
            filters.retain(|name, _| !["cursor", "format", "limit"].contains(&name.as_str()));
        }
        let caller = match self.member() {
            Some(scope) => format!("{} {}", scope.organization(), scope.user()),
            None if self.operator().is_ok() => "operator".to_owned(),
            None => self
                .context
                .header(crate::auth::credentials::GUEST_TOKEN.as_str())
                .unwrap_or_default()
                .to_owned(),
        };
        Ok(format!("{}\n{caller}\n{filters}\n", O::OPERATION.id()))
    }
}

impl<O: Op> Call<O> {
    /// Responds with a page and the link to the next one.
    pub fn page<T>(&self, page: Page<T>) -> Result<Answered<O>, Failure>
    where
        O: Op<Answer = Page<T>>,
        Page<T>: Serialize,
    {
        Ok(self.linked(Answered::json(&page)?, &page.page))
    }

    /// Responds with a page of records that are JSON already. `point` is the position of a record in the list.
    pub fn lines<P, L: Rendered, N: Serialize>(
        &self,
        part: &Part<P>,
        mut read: Vec<L>,
        point: impl Fn(&L) -> N,
    ) -> Result<Answered<O>, Failure>
    where
        O: Op<Answer = Page<L::Shown>>,
        Page<L::Shown>: Answer,
    {
        let page = self.page_info(part, &mut read, point)?;
        Ok(self.linked(Answered::rendered_page(&read, &page)?, &page))
    }

    /// A page with the link to the next one.
    pub fn linked(&self, answered: Answered<O>, page: &PageInfo) -> Answered<O> {
        match self.next_link(page) {
            Some(link) => answered.header(header::LINK, link),
            None => answered,
        }
    }
}
