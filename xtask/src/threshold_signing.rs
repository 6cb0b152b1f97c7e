//! `examples/apps/threshold-signing`: real processes sign, one is faulty, one is killed, and OpenSSL verifies. Its tests,
//! which kill processes at every point, run with the unit and integration tests.

use std::process::Command;

use serde_json::Value;

use crate::process::Outcome;
use crate::steps::Steps;

/// Adds the step.
pub(crate) fn add_to(steps: &mut Steps) {
    steps.add("threshold signing", |log| {
        let program = crate::build::binary(log, "threshold-signing")?;
        let mut messages = 0;
        for parties in ["4", "7"] {
            let how = ["demo", "--json", "--parties", parties, "--corrupt", "2", "--kill", "0"];
            let output = log.run(Command::new(&program).args(how))?;
            messages += signed(&output)?;
        }
        Ok(format!("{messages} messages, each verified by OpenSSL; the faulty party identified"))
    });
}

/// Number of signed messages in a correct report. The report is one line of JSON among those of the standard error.
fn signed(output: &str) -> Outcome<u64> {
    let mut reports = output.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let report = reports.rfind(Value::is_object).ok_or("the program printed no report")?;
    if report.get("openssl") != Some(&Value::Bool(true)) || report.get("culprit") != Some(&"party2".into()) {
        return Err(format!("expected OpenSSL's agreement and the culprit party2: {report}"));
    }
    report
        .get("messages")
        .and_then(Value::as_u64)
        .ok_or_else(|| format!("the report has no number of messages: {report}"))
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_report_is_read() {
        let good = "$ sign\n{\"messages\":3,\"openssl\":true,\"culprit\":\"party2\",\"killed\":\"party0\"}\n";
        assert_eq!(super::signed(good), Ok(3));
        assert!(super::signed(&good.replace("true", "false")).is_err());
        assert!(super::signed(&good.replace("party2", "party1")).is_err());
        assert!(super::signed("$ sign").is_err());
    }
}
