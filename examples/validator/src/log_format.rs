//! The log of a validator, on standard error: as text or as JSON.

use std::io::{self, IsTerminal};

use tracing_subscriber::EnvFilter;

use crate::exit::{Exit, Failure, OrFail};

/// Format of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum LogFormat {
    /// Lines for people.
    Text,
    /// A JSON object per line: `timestamp`, `level`, `target`, `message`, the fields of the event; `code` for warnings and
    /// errors.
    Json,
}

impl LogFormat {
    /// Starts the log with a filter. In JSON, panics are lines of the log too.
    pub(crate) fn start(self, level: &str) -> Result<(), Failure> {
        // The store logs every file operation at lower levels. --log-level can override this.
        let filter = format!("fjall=warn,lsm_tree=warn,{level}");
        let filter = EnvFilter::try_new(filter).or_fail(Exit::Usage, "--log-level")?;
        let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr);
        match self {
            Self::Text => log.with_ansi(io::stderr().is_terminal()).init(),
            Self::Json => {
                log.json().flatten_event(true).with_current_span(false).with_span_list(false).init();
                std::panic::set_hook(Box::new(|panic| tracing::error!(code = "PANIC", "{panic}")));
            }
        }
        Ok(())
    }

    /// Reports the failure of the validator as the last line of the log, if that is JSON. Then the message is empty.
    pub(crate) fn report(self, failure: Failure) -> Failure {
        if self == Self::Text {
            return failure;
        }
        let code = if failure.code.is_empty() { "FAILED" } else { failure.code };
        tracing::error!(code, exit_code = failure.exit() as u8, "{}", failure.message);
        Failure { message: String::new(), ..failure }
    }
}
