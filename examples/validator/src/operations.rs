//! Checks that the files of `operations/` start this program with arguments that it accepts, and agree with the handbook.

use clap::Parser;

use crate::{Cli, Command, handbook};

const UNIT: &str = include_str!("../operations/quorate.service");
const CONTAINER: &str = include_str!("../operations/Containerfile");

/// Returns the value of a setting of the unit.
fn setting(name: &str) -> &'static str {
    let value = UNIT.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
    value.unwrap_or_else(|| panic!("the unit has no {name}"))
}

/// Returns the arguments of an instruction of the container file in its JSON form.
fn instruction(name: &str) -> Vec<String> {
    let value = CONTAINER.lines().find_map(|line| line.strip_prefix(name));
    serde_json::from_str(value.unwrap_or_else(|| panic!("the container file has no {name}"))).unwrap()
}

/// Checks that the words start a validator, and not for the first time.
fn runs_a_validator<S: AsRef<str>>(words: &[S]) {
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    assert!(words[0].ends_with("/quorate"), "{words:?}");
    let cli = Cli::try_parse_from(&words).unwrap_or_else(|error| panic!("{words:?}: {error}"));
    assert!(matches!(cli.command, Command::Run(_)), "{words:?}");
    assert!(!words.contains(&"--new-validator"), "only the first start has this option");
}

#[test]
fn unit_and_container_start_a_validator() {
    let command: Vec<&str> = setting("ExecStart").split_whitespace().collect();
    runs_a_validator(&command);
    runs_a_validator(&[instruction("ENTRYPOINT"), instruction("CMD")].concat());
}

#[test]
fn the_unit_restarts_as_the_handbook_says() {
    let prevented: Vec<&str> = setting("RestartPreventExitStatus").split(' ').collect();
    let rows = handbook::TEXT.lines().filter_map(|line| {
        let cells: Vec<&str> = line.strip_prefix("| ")?.strip_suffix(" |")?.split(" | ").collect();
        let code = cells.first().filter(|code| code.parse::<u8>().is_ok())?;
        Some((*code, *cells.get(2)?))
    });
    let rows: Vec<(&str, &str)> = rows.collect();
    assert_eq!(rows.first(), Some(&("0", "no")));
    for (code, restarts) in &rows[1..] {
        assert_eq!(prevented.contains(code), *restarts == "no", "exit code {code}");
    }
}
