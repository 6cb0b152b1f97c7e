//! Text of code.

/// The lines with one more level of indentation.
pub(super) fn indented(text: &str) -> String {
    text.lines().map(|line| if line.is_empty() { "\n".to_owned() } else { format!("    {line}\n") }).collect()
}
