//! Fields of the text files: names, hexadecimal digits, secrets.

use zeroize::Zeroizing;

/// Maximum length of a name. Names become parts of file names.
const MAX_NAME: usize = 64;

/// Checks a name. Names become parts of file names and are printed.
///
/// # Errors
/// A message with the rules for names.
pub fn check_name(name: &str) -> Result<(), String> {
    let fits = |c: char| c.is_ascii_alphanumeric() || ".-_".contains(c);
    if name.is_empty() || name.len() > MAX_NAME || name.starts_with(['.', '-']) || !name.chars().all(fits) {
        return Err(format!(
            "{name:?} is not a name: expected 1 to {MAX_NAME} letters, digits, dots, hyphens and underscores, the first one a \
             letter, a digit or an underscore"
        ));
    }
    Ok(())
}

/// Decodes exactly N bytes from hexadecimal digits.
pub(crate) fn bytes<const N: usize>(digits: &str) -> Result<[u8; N], String> {
    let mut bytes = [0; N];
    hex::decode_to_slice(digits, &mut bytes).map_err(|_| format!("expected {} hexadecimal digits", 2 * N))?;
    Ok(bytes)
}

/// Decodes the 64 hexadecimal digits of a secret; `name` is the field's name.
pub(crate) fn secret(name: &str, digits: &str) -> Result<Zeroizing<[u8; 32]>, String> {
    let mut bytes = Zeroizing::new([0; 32]);
    hex::decode_to_slice(digits, bytes.as_mut())
        .map_err(|_| format!("`{name}`: expected 64 hexadecimal digits; restore the file from its copy"))?;
    Ok(bytes)
}
