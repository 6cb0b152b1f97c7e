//! Lines for people. `println!` panics when whoever read the output has gone; these do not mind.

use std::io::IsTerminal;

/// A line on standard output.
macro_rules! say {
    ($($argument:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stdout(), $($argument)*);
    }};
}

/// A line on standard error.
macro_rules! tell {
    ($($argument:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr(), $($argument)*);
    }};
}

pub(super) use {say, tell};

/// Red, if standard error is a terminal.
pub(super) fn red(text: &str) -> String {
    painted(text, "31", std::io::stderr().is_terminal())
}

/// Green or red, if standard output is a terminal.
pub(super) fn verdict(text: &str, good: bool) -> String {
    painted(text, if good { "32" } else { "31" }, std::io::stdout().is_terminal())
}

fn painted(text: &str, colour: &str, on_terminal: bool) -> String {
    if on_terminal && std::env::var_os("NO_COLOR").is_none() {
        format!("\x1b[{colour}m{text}\x1b[0m")
    } else {
        text.to_owned()
    }
}
