//! The encoding of files: UTF-8, with or without a byte order mark.

use super::BadFile;

/// The text of a file, without its byte order mark. Other encodings are refused, because a wrong guess would damage names.
pub fn utf8(bytes: &[u8]) -> Result<&str, BadFile> {
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err(BadFile::Utf16);
    }
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    let text = str::from_utf8(bytes).map_err(|error| {
        let before = &bytes[..error.valid_up_to()];
        BadFile::NotUtf8 { line: before.split(|byte| *byte == b'\n').count() }
    })?;
    // UTF-16 without a mark is valid UTF-8 if all its letters are ASCII: every other byte is zero.
    if text.bytes().take(64).filter(|byte| *byte == 0).count() > 8 { Err(BadFile::Utf16) } else { Ok(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_utf8_is_accepted() {
        assert_eq!(utf8("\u{feff}é".as_bytes()), Ok("é"));
        let utf16: Vec<u8> = "Date,Time,Home Team".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(utf8(&utf16), Err(BadFile::Utf16));
        assert_eq!(utf8(&[&[0xff, 0xfe], &utf16[..]].concat()), Err(BadFile::Utf16));
        assert_eq!(utf8(b"name\nAda\nZo\xeb\n"), Err(BadFile::NotUtf8 { line: 3 }));
    }
}
