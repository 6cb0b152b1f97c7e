#![forbid(unsafe_code)]
//! What the example programs write for people.
//!
//! `println!` panics when whoever read the output has gone (`quorate status | head -1`); [`say!`] and [`tell!`] do not
//! mind. Colours are only for terminals, and not where `NO_COLOR` is set. A command that does not succeed ends with a
//! [`failure!`].

mod failure;

use std::io::IsTerminal;
use std::time::Duration;

/// A line on standard output.
#[macro_export]
macro_rules! say {
    ($($argument:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stdout(), $($argument)*);
    }};
}

/// A line on standard error.
#[macro_export]
macro_rules! tell {
    ($($argument:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr(), $($argument)*);
    }};
}

/// Red, if standard error is a terminal.
pub fn red(text: &str) -> String {
    painted(text, "31", std::io::stderr().is_terminal())
}

/// Green or red, if standard output is a terminal.
pub fn verdict(text: &str, good: bool) -> String {
    painted(text, if good { "32" } else { "31" }, std::io::stdout().is_terminal())
}

fn painted(text: &str, colour: &str, on_terminal: bool) -> String {
    if on_terminal && std::env::var_os("NO_COLOR").is_none() {
        format!("\x1b[{colour}m{text}\x1b[0m")
    } else {
        text.to_owned()
    }
}

/// Bytes as people read them: text as it is, everything else escaped. What strangers wrote cannot command a terminal.
pub fn shown(bytes: &[u8]) -> String {
    bytes.escape_ascii().to_string()
}

/// `1234567` as `1,234,567`.
pub fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Milliseconds with as many decimals as matter.
pub fn millis(ms: f64) -> String {
    if ms < 10.0 {
        format!("{ms:.1} ms")
    } else if ms < 10_000.0 {
        format!("{ms:.0} ms")
    } else {
        format!("{:.1} s", ms / 1e3)
    }
}

/// `3725 s` as `1:02:05`, `65 s` as `01:05`.
pub fn clock(time: Duration) -> String {
    let s = time.as_secs();
    match s / 3600 {
        0 => format!("{:02}:{:02}", s / 60, s % 60),
        hours => format!("{hours}:{:02}:{:02}", s / 60 % 60, s % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_people_read_them() {
        let counts: Vec<String> = [0, 7, 999, 1000, 12_345, 1_234_567].into_iter().map(count).collect();
        assert_eq!(counts, ["0", "7", "999", "1,000", "12,345", "1,234,567"]);
        let times: Vec<String> = [3.21, 61.4, 12_345.0].into_iter().map(millis).collect();
        assert_eq!(times, ["3.2 ms", "61 ms", "12.3 s"]);
        let clocks: Vec<String> = [5, 65, 3725].into_iter().map(Duration::from_secs).map(clock).collect();
        assert_eq!(clocks, ["00:05", "01:05", "1:02:05"]);
    }
}
