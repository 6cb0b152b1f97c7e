//! Seeds from the test vectors.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use serde_json::Value;

/// Longest seed that is taken from the vectors.
const LONGEST: usize = 16 * 1024;

/// Every byte string of `spec/vectors`, which are hexadecimal there, each once.
pub(crate) fn from_vectors() -> &'static [Vec<u8>] {
    static VECTORS: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../spec/vectors");
        let mut found = Vec::new();
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let text = fs::read_to_string(entry.path()).unwrap_or_default();
            if let Ok(value) = serde_json::from_str(&text) {
                collect(&value, &mut found);
            }
        }
        found.sort();
        found.dedup();
        found
    });
    &VECTORS
}

fn collect(value: &Value, found: &mut Vec<Vec<u8>>) {
    match value {
        Value::String(text) => found.extend(bytes_of(text)),
        Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
        Value::Object(fields) => fields.values().for_each(|field| collect(field, found)),
        _ => {}
    }
}

fn bytes_of(text: &str) -> Option<Vec<u8>> {
    let digits = text.as_bytes();
    if digits.len() < 2 || !digits.len().is_multiple_of(2) || digits.len() / 2 > LONGEST {
        return None;
    }
    let digit = |d: u8| char::from(d).to_digit(16).and_then(|d| u8::try_from(d).ok());
    digits
        .chunks_exact(2)
        .map(|pair| match pair {
            [high, low] => Some(digit(*high)? << 4 | digit(*low)?),
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_bytes_are_taken() {
        assert_eq!(bytes_of("00ffAb"), Some(vec![0, 255, 0xab]));
        assert_eq!(bytes_of("abc"), None);
        assert_eq!(bytes_of("xy"), None);
    }
}
