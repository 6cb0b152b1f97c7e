use std::io::{Error, ErrorKind};

use quorate_audit::failure::{Exit, Failure};

/// Describes an error of the log. It stops the server, so that no request is executed without its entry.
pub(super) fn unwritten(error: Error) -> Failure {
    let remedy = match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
            "make room on its disk, or raise the limit of its size"
        }
        _ => "repair its disk",
    };
    let message = format!(
        "writing the log: {error}; it has each answered request; {remedy}, and start the server again"
    );
    Failure::with_code(Exit::Failed, "LOG_NOT_WRITTEN", message)
}
