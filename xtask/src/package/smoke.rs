//! Programs that use the installed packages. They are embedded in xtask, because the sandbox does not see the repository.

/// The five steps of the tour: keys, committee, votes with a forged one among them, certificate, verification.
pub(crate) const RUST: &str = include_str!("../../smoke/tour.rs");
/// The same steps for Node, as a module of either kind.
pub(crate) const TYPESCRIPT: &str = include_str!("../../smoke/tour.ts");
/// The same steps for Python.
pub(crate) const PYTHON: &str = include_str!("../../smoke/tour.py");
/// The same steps in Kotlin, and the empty project around them.
pub(crate) const KOTLIN: &str = include_str!("../../smoke/Tour.kt");
pub(crate) const POM: &str = include_str!("../../smoke/pom.xml");
/// Opens a page in a browser and prints its text.
pub(crate) const BROWSER: &str = include_str!("../../smoke/browser.mjs");
/// Prints the instruction sets that the processor lacks.
pub(crate) const PROCESSOR: &str = include_str!("../../smoke/processor.rs");

use crate::process::Outcome;

/// Checks that a program finished the tour with the package of this version.
pub(crate) fn check_tour(output: &str, version: &str) -> Outcome {
    let expected = format!("tour of {version}: 100 bytes");
    if output.lines().any(|line| line.trim() == expected) {
        Ok(())
    } else {
        Err(format!("expected a line `{expected}`, but the tour printed:\n{output}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tour_must_print_its_last_line_with_the_version() {
        check_tour("noise\ntour of 0.1.0: 100 bytes\n", "0.1.0").unwrap();
        check_tour("tour of 0.1.0: 100 bytes\n", "0.2.0").unwrap_err();
        check_tour("", "0.1.0").unwrap_err();
    }
}
