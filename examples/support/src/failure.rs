//! How a program ends.

/// Makes the type `Failure` of a program whose exit codes are an enumeration with `Failed`-like variants: a code for
/// scripts, and for people what is wrong and what to do. Each program has its own, so that it can say which of its codes
/// the errors of libraries have.
///
/// ```
/// #[derive(Clone, Copy, Debug, PartialEq, Eq)]
/// enum Exit {
///     Setup = 3,
/// }
/// quorate_support::failure!(Exit);
///
/// let failure = "no".parse::<u8>().or_fail(Exit::Setup, "port").unwrap_err();
/// assert_eq!(failure.to_string(), "port: invalid digit found in string");
/// assert_eq!(std::process::ExitCode::from(failure.exit()), std::process::ExitCode::from(3));
/// ```
#[macro_export]
macro_rules! failure {
    ($exit:ident) => {
        /// Why a command did not succeed.
        #[derive(Debug)]
        pub(crate) struct Failure {
            exit: $exit,
            message: String,
        }

        impl Failure {
            /// A failure with its exit code; the message says what is wrong and what to do.
            pub(crate) fn new(exit: $exit, message: impl Into<String>) -> Self {
                Self { exit, message: message.into() }
            }

            /// The exit code.
            pub(crate) fn exit(&self) -> $exit {
                self.exit
            }
        }

        impl ::std::fmt::Display for Failure {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.write_str(&self.message)
            }
        }

        impl ::std::error::Error for Failure {}

        impl From<$exit> for ::std::process::ExitCode {
            fn from(exit: $exit) -> Self {
                ::std::process::ExitCode::from(exit as u8)
            }
        }

        /// For failures of the operating system.
        pub(crate) trait OrFail<T> {
            /// Turns an error into a failure with this exit code and what was being done.
            fn or_fail(self, exit: $exit, doing: impl ::std::fmt::Display) -> Result<T, Failure>;
        }

        impl<T, E: ::std::fmt::Display> OrFail<T> for Result<T, E> {
            fn or_fail(self, exit: $exit, doing: impl ::std::fmt::Display) -> Result<T, Failure> {
                self.map_err(|error| Failure::new(exit, format!("{doing}: {error}")))
            }
        }
    };
}
