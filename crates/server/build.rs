//! Extracts the files of the documentation page from Swagger UI's archive. Deflated files are written unchanged, as gzip files.

use std::error::Error;
use std::io::{Cursor, Read};
use std::path::Path;

use utoipa_swagger_ui_vendored::SWAGGER_UI_VENDORED;
use zip::{CompressionMethod, ZipArchive};

/// The files that the page loads, except its initializer, which is our own (`src/docs_files/`).
const FILES: [&str; 4] =
    ["swagger-ui.css", "swagger-ui-bundle.js", "swagger-ui-standalone-preset.js", "favicon-32x32.png"];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    let folder = std::env::var("OUT_DIR")?;
    let mut archive = ZipArchive::new(Cursor::new(SWAGGER_UI_VENDORED))?;
    let top = archive.name_for_index(0).ok_or("an empty archive")??.into_owned();
    for name in FILES {
        let path = format!("{}dist/{name}", top.split_inclusive('/').next().unwrap_or_default());
        let at = archive.index_for_name(&path).ok_or_else(|| format!("{path} is missing"))?;
        let mut file = archive.by_index_raw(at)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let (name, bytes) = match file.compression() {
            CompressionMethod::Stored => (name.to_owned(), bytes),
            CompressionMethod::DEFLATE => {
                (format!("{name}.gz"), gzip(&bytes, file.crc32(), u32::try_from(file.size())?))
            }
            other => return Err(format!("{path} is compressed as {other}").into()),
        };
        std::fs::write(Path::new(&folder).join(name), bytes)?;
    }
    Ok(())
}

/// Wraps deflated bytes in a gzip file (RFC 1952) without a name and a time.
fn gzip(deflated: &[u8], crc32: u32, size: u32) -> Vec<u8> {
    const HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255];
    [&HEADER, deflated, &crc32.to_le_bytes(), &size.to_le_bytes()].concat()
}
