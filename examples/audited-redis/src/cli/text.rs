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

/// Bytes as people read them: text as it is, everything else escaped. What strangers wrote cannot command a terminal.
pub(super) fn shown(bytes: &[u8]) -> String {
    bytes.escape_ascii().to_string()
}

/// Microseconds since 1970 as a date.
pub(super) fn utc(time: u64) -> String {
    let (seconds, micros) = (time / 1_000_000, time % 1_000_000);
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    // Years that begin in March end with the leap day; 400 of them have 146,097 days.
    let shifted = days + 719_468;
    let (era, day) = (shifted / 146_097, shifted % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let of_month = of_year - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    let year = year + era * 400 + next;
    format!("{year}-{month:02}-{of_month:02} {hour:02}:{minute:02}:{second:02}.{micros:06} UTC")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_dates() {
        for (time, date) in [
            (0, "1970-01-01 00:00:00.000000 UTC"),
            (951_782_399_999_999, "2000-02-28 23:59:59.999999 UTC"),
            (951_782_400_000_000, "2000-02-29 00:00:00.000000 UTC"),
            (1_795_297_426_665_257, "2026-11-21 21:43:46.665257 UTC"),
        ] {
            assert_eq!(utc(time), date);
        }
        assert!(utc(u64::MAX).ends_with("UTC"));
    }
}
