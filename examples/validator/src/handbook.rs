//! The handbook `OPERATING.md`, with a section for each error that stops a validator.

use quorate_node::NodeError;

/// Text of the handbook.
pub(crate) const TEXT: &str = include_str!("../OPERATING.md");
/// Path of the handbook in the repository.
const PATH: &str = "examples/validator/OPERATING.md";
/// Section of the codes that are not the node's own.
const OTHER: &str = "Other codes";

/// Returns the section about a code: its heading and its text. Codes of the building blocks share one section.
pub(crate) fn section(code: &str) -> Option<&'static str> {
    let title = title(code);
    let heading = |line: &str| line.strip_prefix("### ").is_some_and(|line| line.trim_matches('`') == title);
    let mut begin = TEXT.split_inclusive('\n').scan(0, |at, line| {
        let start = *at;
        *at += line.len();
        Some((start, line))
    });
    let start = begin.find(|(_, line)| heading(line.trim_end()))?.0;
    let text = TEXT.get(start..)?;
    let end = text.find("\n#").unwrap_or(text.len());
    text.get(..end).map(str::trim_end)
}

/// Returns where the handbook explains a code: a file with an anchor.
pub(crate) fn place(code: &str) -> String {
    format!("{PATH}#{}", title(code).to_lowercase().replace(' ', "-"))
}

fn title(code: &str) -> &str {
    if NodeError::CODES.contains(&code) { code } else { OTHER }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exit::Exit;

    #[test]
    fn each_code_of_the_node_has_a_section() {
        for code in NodeError::CODES {
            let section = section(code).unwrap_or_else(|| panic!("{PATH} has no section `{code}`"));
            assert!(section.starts_with(&format!("### `{code}`\n")), "{section}");
            assert!(
                section.contains("\nExit code "),
                "{code}: the section does not begin with its exit code"
            );
            assert!(section.lines().count() >= 3, "{section}");
            assert_eq!(place(code), format!("{PATH}#{}", code.to_lowercase()));
        }
        assert!(section("RNG").unwrap().starts_with("### Other codes\n"));
        assert_eq!(place("RNG"), format!("{PATH}#other-codes"));
    }

    #[test]
    fn each_section_is_about_a_code_of_the_node() {
        let titles = TEXT.lines().filter_map(|line| line.strip_prefix("### `")?.strip_suffix('`'));
        for title in titles {
            assert!(NodeError::CODES.contains(&title), "no error has the code {title}");
        }
    }

    #[test]
    fn each_exit_code_has_a_row() {
        let help = Exit::help();
        let codes = help.lines().skip(1).filter_map(|line| line.split_whitespace().next());
        let documented: Vec<&str> = TEXT
            .lines()
            .filter_map(|line| line.strip_prefix("| ")?.split_once(" |"))
            .map(|(code, _)| code)
            .collect();
        for code in codes {
            assert!(documented.contains(&code), "{PATH} has no row for exit code {code}");
        }
    }
}
