//! Exit codes and failures of a program.
//!
//! A program declares its exit codes with [`exit_codes!`](crate::exit_codes) and its failure type with
//! [`failure!`](crate::failure). Both are macros because a program implements `From<LibraryError>` for its own `Failure`,
//! which the orphan rule forbids for a type of another crate.
//!
//! ```
//! quorate_support::exit_codes! {
//!     /// Exit codes of the program.
//!     pub enum Exit {
//!         Done = 0 => "done",
//!         Failed = 1 ("FAILED") => "any failure without a code of its own",
//!         Usage = 2 => "the command line is wrong",
//!         Setup = 13 ("SETUP") => "a file cannot be used",
//!     }
//! }
//! quorate_support::failure!(pub struct Failure { exit: Exit });
//!
//! assert_eq!(
//!     Exit::help(),
//!     "Exit codes:\n  0   done\n  1   any failure without a code of its own\n  2   the command line is wrong\n  \
//!      13  a file cannot be used"
//! );
//! let failure = "no".parse::<u8>().or_fail(Exit::Setup, "port").unwrap_err();
//! assert_eq!(failure.to_string(), "port: invalid digit found in string (SETUP)");
//! assert_eq!(std::process::ExitCode::from(failure.exit()), std::process::ExitCode::from(13));
//! let failure = Failure::with_code(Exit::Failed, "NO_SPACE", "the disk is full").at("journal");
//! assert_eq!(failure.to_string(), "journal: the disk is full (NO_SPACE)");
//! assert_eq!(Failure::new(Exit::Usage, "no file").to_string(), "no file");
//! ```

/// Formats the table of exit codes for the end of `--help`.
pub fn table(rows: &[(u8, &str)]) -> String {
    let width = rows.iter().map(|(code, _)| code.to_string().len()).max().unwrap_or(0);
    let lines = rows.iter().map(|(code, text)| format!("\n  {code:<width$}  {text}"));
    std::iter::once("Exit codes:".to_owned()).chain(lines).collect()
}

/// Declares the exit codes of a program, each with its line in `--help` and, for programs that print machine-readable
/// codes, the code of a failure that has no more specific one.
///
/// The enum gets `help()`, the table for `--help`, and a conversion into [`ExitCode`](std::process::ExitCode).
#[macro_export]
macro_rules! exit_codes {
    (
        $(#[$attribute:meta])*
        $vis:vis enum $exit:ident {
            $($name:ident = $number:literal $(($code:literal))? => $text:literal),+ $(,)?
        }
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        $vis enum $exit {
            $(
                #[doc = concat!($text, ".")]
                #[allow(dead_code, reason = "clap exits with some of the codes itself")]
                $name = $number,
            )+
        }

        impl $exit {
            /// Returns the table of exit codes for the end of `--help`.
            $vis fn help() -> ::std::string::String {
                $crate::exit::table(&[$(($number, $text)),+])
            }

            /// Returns the machine-readable code of a failure that has no more specific one; empty if there is none.
            $vis const fn code(self) -> &'static str {
                match self {
                    $(Self::$name => concat!($($code)?),)+
                }
            }
        }

        impl ::std::convert::From<$exit> for ::std::process::ExitCode {
            fn from(exit: $exit) -> Self {
                ::std::process::ExitCode::from(exit as u8)
            }
        }
    };
}

/// Declares the failure type of a program whose exit codes [`exit_codes!`](crate::exit_codes) declares, and the extension
/// trait `OrFail` for results.
#[macro_export]
macro_rules! failure {
    ($vis:vis struct $failure:ident { exit: $exit:ident $(,)? }) => {
        /// Failure of a command: its exit code and its message.
        #[derive(Clone, Debug, PartialEq, Eq)]
        $vis struct $failure {
            /// Exit code of the process.
            $vis exit: $exit,
            /// Stable machine-readable code; empty if the program prints none.
            $vis code: &'static str,
            /// Message for people: the problem and its remedy.
            $vis message: ::std::string::String,
        }

        #[allow(dead_code, reason = "each program uses some of the constructors")]
        impl $failure {
            /// Creates a failure with the code of `exit`.
            $vis fn new(exit: $exit, message: impl ::std::convert::Into<::std::string::String>) -> Self {
                Self::with_code(exit, exit.code(), message)
            }

            /// Creates a failure with a specific code.
            $vis fn with_code(
                exit: $exit,
                code: &'static str,
                message: impl ::std::convert::Into<::std::string::String>,
            ) -> Self {
                Self { exit, code, message: message.into() }
            }

            /// Returns the exit code.
            $vis fn exit(&self) -> $exit {
                self.exit
            }

            /// Puts the place of the failure in front of the message.
            $vis fn at(mut self, place: impl ::std::fmt::Display) -> Self {
                self.message = format!("{place}: {}", self.message);
                self
            }
        }

        impl ::std::fmt::Display for $failure {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                match self.code {
                    "" => f.write_str(&self.message),
                    code => write!(f, "{} ({code})", self.message),
                }
            }
        }

        impl ::std::error::Error for $failure {}

        /// Turns the error of a result into a failure.
        $vis trait OrFail<T> {
            /// Returns a failure with this exit code and the message "`context`: error".
            ///
            /// # Errors
            /// If `self` is an error.
            fn or_fail(
                self,
                exit: $exit,
                context: impl ::std::fmt::Display,
            ) -> ::std::result::Result<T, $failure>;
        }

        impl<T, E: ::std::fmt::Display> OrFail<T> for ::std::result::Result<T, E> {
            fn or_fail(
                self,
                exit: $exit,
                context: impl ::std::fmt::Display,
            ) -> ::std::result::Result<T, $failure> {
                self.map_err(|error| $failure::new(exit, format!("{context}: {error}")))
            }
        }
    };
}
