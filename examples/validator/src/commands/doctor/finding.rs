use std::fmt;

use quorate_node::NodeError;
use serde::Serialize;

use crate::handbook;

/// Result of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum State {
    Ok,
    /// The validator runs, but something deserves attention.
    Warning,
    /// The validator does not start, or does not take part.
    Failed,
}

/// A check and its result.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Finding {
    /// Name of the check.
    pub(super) check: String,
    pub(super) state: State,
    /// The state found.
    pub(super) detail: String,
    /// What to do; empty if nothing is to be done.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) remedy: String,
}

impl Finding {
    pub(super) fn ok(check: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { check: check.into(), state: State::Ok, detail: detail.into(), remedy: String::new() }
    }

    pub(super) fn warning(
        check: impl Into<String>,
        detail: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self { state: State::Warning, remedy: remedy.into(), ..Self::ok(check, detail) }
    }

    pub(super) fn failed(
        check: impl Into<String>,
        detail: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self { state: State::Failed, ..Self::warning(check, detail, remedy) }
    }

    /// A failed check with the error that would stop the validator. The error has the remedy.
    pub(super) fn error(check: impl Into<String>, error: &NodeError) -> Self {
        Self::failed(check, error.to_string(), format!("see {}", handbook::place(error.code())))
    }

    /// Returns a value, or reports the error that would stop the validator.
    pub(super) fn of<T>(check: &str, result: Result<T, NodeError>, findings: &mut Vec<Finding>) -> Option<T> {
        result.map_err(|error| findings.push(Self::error(check, &error))).ok()
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = match self.state {
            State::Ok => "ok",
            State::Warning => "warning",
            State::Failed => "FAILED",
        };
        // Errors of TOML have several lines; a check has one.
        let detail = self.detail.split_whitespace().collect::<Vec<_>>().join(" ");
        write!(f, "{state:<8} {}: {detail}", self.check)?;
        if self.remedy.is_empty() { Ok(()) } else { write!(f, "; {}", self.remedy) }
    }
}
