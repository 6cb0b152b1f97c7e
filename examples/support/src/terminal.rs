//! Lines on standard output and standard error, colours, and readable numbers.
//!
//! `println!` panics if the reader has closed the pipe (`quorate status | head -1`). [`outln!`](crate::outln) and
//! [`errln!`](crate::errln) ignore such write errors. They also remove colours where the stream is not a terminal,
//! `NO_COLOR` is set, or the terminal is `dumb`.

use std::time::Duration;

pub use anstyle::{AnsiColor, Style};

#[doc(hidden)]
pub use anstream;

/// Writes a line to standard output and ignores write errors.
#[macro_export]
macro_rules! outln {
    ($($argument:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!($crate::terminal::anstream::stdout(), $($argument)*);
    }};
}

/// Writes a line to standard error and ignores write errors.
#[macro_export]
macro_rules! errln {
    ($($argument:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!($crate::terminal::anstream::stderr(), $($argument)*);
    }};
}

/// Returns true if standard output is a terminal that shows colours.
pub fn stdout_has_colours() -> bool {
    anstream::AutoStream::choice(&std::io::stdout()) != anstream::ColorChoice::Never
}

/// Returns `text` in red, for [`outln!`](crate::outln) and [`errln!`](crate::errln).
pub fn red(text: &str) -> String {
    styled(text, AnsiColor::Red.on_default())
}

/// Returns `text` in green if `good`, in red otherwise, for [`outln!`](crate::outln) and [`errln!`](crate::errln).
pub fn verdict(text: &str, good: bool) -> String {
    styled(text, if good { AnsiColor::Green } else { AnsiColor::Red }.on_default())
}

/// Returns `text` in a style, for a terminal that shows colours.
pub fn styled(text: &str, style: Style) -> String {
    format!("{style}{text}{style:#}")
}

/// Returns bytes as text with everything but printable ASCII escaped, so that foreign data cannot control the terminal.
pub fn escaped(bytes: &[u8]) -> String {
    bytes.escape_ascii().to_string()
}

/// Formats a number with separators: `1234567` as `1,234,567`.
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

/// Formats milliseconds: one decimal below 10 ms, none below 10 s, seconds with one decimal above.
pub fn millis(ms: f64) -> String {
    if ms < 10.0 {
        format!("{ms:.1} ms")
    } else if ms < 10_000.0 {
        format!("{ms:.0} ms")
    } else {
        format!("{:.1} s", ms / 1e3)
    }
}

/// Formats a duration as a clock does: 3725 s as `1:02:05`, 65 s as `01:05`.
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
    fn numbers_and_times_are_formatted_for_people() {
        let counts: Vec<String> = [0, 7, 999, 1000, 12_345, 1_234_567].into_iter().map(count).collect();
        assert_eq!(counts, ["0", "7", "999", "1,000", "12,345", "1,234,567"]);
        let times: Vec<String> = [3.21, 61.4, 12_345.0].into_iter().map(millis).collect();
        assert_eq!(times, ["3.2 ms", "61 ms", "12.3 s"]);
        let clocks: Vec<String> = [5, 65, 3725].into_iter().map(Duration::from_secs).map(clock).collect();
        assert_eq!(clocks, ["00:05", "01:05", "1:02:05"]);
    }

    #[test]
    fn colours_are_standard_escape_sequences() {
        assert_eq!(verdict("valid", true), "\x1b[32mvalid\x1b[0m");
        assert_eq!(red("error:"), verdict("error:", false));
        assert_eq!(red("error:"), "\x1b[31merror:\x1b[0m");
    }
}
