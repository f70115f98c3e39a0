//! The files of the documentation page: Swagger UI, as compressed by `build.rs`. All responses share their bytes.

use std::io::Read;
use std::sync::LazyLock;

use axum::http::{HeaderMap, header};
use bytes::Bytes;
use flate2::read::GzDecoder;

/// A file of the documentation page.
pub(crate) struct File {
    name: &'static str,
    pub(crate) media_type: &'static str,
    content: Content,
}

enum Content {
    Plain(&'static [u8]),
    Compressed { gzip: &'static [u8], plain: LazyLock<Bytes> },
}

macro_rules! gzip {
    ($file:literal) => {{
        const GZIP: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/", $file, ".gz"));
        Content::Compressed { gzip: GZIP, plain: LazyLock::new(|| decompress(GZIP)) }
    }};
}

static FILES: [File; 5] = [
    File { name: "swagger-ui.css", media_type: "text/css", content: gzip!("swagger-ui.css") },
    File {
        name: "swagger-ui-bundle.js",
        media_type: "text/javascript",
        content: gzip!("swagger-ui-bundle.js"),
    },
    File {
        name: "swagger-ui-standalone-preset.js",
        media_type: "text/javascript",
        content: gzip!("swagger-ui-standalone-preset.js"),
    },
    File {
        name: "swagger-initializer.js",
        media_type: "text/javascript",
        content: Content::Plain(include_bytes!("docs_files/swagger-initializer.js")),
    },
    File {
        name: "favicon-32x32.png",
        media_type: "image/png",
        content: Content::Plain(include_bytes!(concat!(env!("OUT_DIR"), "/favicon-32x32.png"))),
    },
];

/// The file with this name.
pub(crate) fn find(name: &str) -> Option<&'static File> {
    FILES.iter().find(|file| file.name == name)
}

impl File {
    /// The content for a client and its content coding, if it is compressed.
    pub(crate) fn bytes(&'static self, request: &HeaderMap) -> (Bytes, Option<&'static str>) {
        match &self.content {
            Content::Plain(bytes) => (Bytes::from_static(bytes), None),
            Content::Compressed { gzip, .. } if accepts_gzip(request) => {
                (Bytes::from_static(gzip), Some("gzip"))
            }
            Content::Compressed { plain, .. } => (LazyLock::force(plain).clone(), None),
        }
    }
}

fn decompress(gzip: &[u8]) -> Bytes {
    let mut plain = Vec::new();
    // A test decompresses every file.
    let _ = GzDecoder::new(gzip).read_to_end(&mut plain);
    plain.into()
}

/// Whether a client accepts gzip (RFC 9110, section 12.5.3), with a weight above zero.
fn accepts_gzip(request: &HeaderMap) -> bool {
    let named = request.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    named.flat_map(|value| value.split(',')).any(|coding| {
        let (name, weight) = coding.split_once(';').unwrap_or((coding, "q=1"));
        let weight = weight.trim().strip_prefix("q=").and_then(|weight| weight.trim().parse::<f32>().ok());
        name.trim().eq_ignore_ascii_case("gzip") && weight.is_some_and(|weight| weight > 0.0)
    })
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn every_file_is_complete_with_and_without_compression() {
        for file in &FILES {
            let (plain, coding) = file.bytes(&HeaderMap::new());
            assert_eq!(coding, None, "{}", file.name);
            if let Content::Compressed { gzip, .. } = &file.content {
                let size: [u8; 4] = gzip[gzip.len() - 4..].try_into().expect("four bytes");
                assert_eq!(plain.len(), u32::from_le_bytes(size) as usize, "{}", file.name);
                let mut decompressed = Vec::new();
                // Decompressing also checks the checksum.
                GzDecoder::new(*gzip).read_to_end(&mut decompressed).expect(file.name);
                assert_eq!(plain, decompressed, "{}", file.name);
                assert!(gzip.len() < plain.len() / 2, "{}", file.name);
            }
        }
    }

    #[test]
    fn responses_share_the_bytes_of_a_file() {
        for file in &FILES {
            for accepted in ["gzip", "identity"] {
                let headers =
                    [(header::ACCEPT_ENCODING, HeaderValue::from_static(accepted))].into_iter().collect();
                let [one, other] = [file.bytes(&headers).0, file.bytes(&headers).0];
                assert_eq!(one.as_ptr(), other.as_ptr(), "{} as {accepted}", file.name);
            }
        }
    }

    #[test]
    fn gzip_is_sent_to_clients_that_accept_it() {
        let accepts = |value: &'static str| {
            accepts_gzip(&[(header::ACCEPT_ENCODING, HeaderValue::from_static(value))].into_iter().collect())
        };
        for value in ["gzip", "deflate, gzip;q=0.5, br", "GZIP", "gzip ; q=1.0"] {
            assert!(accepts(value), "{value}");
        }
        for value in ["", "br", "gzip;q=0", "gzip; q=0.000", "*", "xgzip"] {
            assert!(!accepts(value), "{value}");
        }
        assert!(!accepts_gzip(&HeaderMap::new()));
    }
}
