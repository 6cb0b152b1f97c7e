//! The programs that use the installed packages. They are part of this program, so that they need no repository.

/// The five steps from keys to a certificate that somebody else verifies, one forged vote on the way.
pub(super) const RUST: &str = include_str!("../../smoke/tour.rs");
/// The same steps for Node, as a module of either kind.
pub(super) const TYPESCRIPT: &str = include_str!("../../smoke/tour.ts");
/// The same steps for Python.
pub(super) const PYTHON: &str = include_str!("../../smoke/tour.py");
/// The same steps in Kotlin, and the empty project around them.
pub(super) const KOTLIN: &str = include_str!("../../smoke/Tour.kt");
pub(super) const POM: &str = include_str!("../../smoke/pom.xml");
/// Opens a page in a browser and prints what it says.
pub(super) const BROWSER: &str = include_str!("../../smoke/browser.mjs");
/// What the processor lacks.
pub(super) const PROCESSOR: &str = include_str!("../../smoke/processor.rs");

use crate::process::Outcome;

/// Checks that a program went all the way, and with the package of this version.
pub(super) fn went(output: &str, of: &str) -> Outcome {
    let expected = format!("tour of {of}: 100 bytes");
    if output.lines().any(|line| line.trim() == expected) {
        Ok(())
    } else {
        Err(format!("the tour did not end with `{expected}` but with:\n{output}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_line_of_a_whole_tour_counts() {
        went("noise\ntour of 0.1.0: 100 bytes\n", "0.1.0").unwrap();
        went("tour of 0.1.0: 100 bytes\n", "0.2.0").unwrap_err();
        went("", "0.1.0").unwrap_err();
    }
}
