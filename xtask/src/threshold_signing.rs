//! `examples/apps/threshold-signing`: real processes sign, one lies, one is killed, and OpenSSL verifies. Its tests, which kill
//! at every point, run with all others.

use std::process::Command;

use serde_json::Value;

use crate::process::Outcome;
use crate::steps::Steps;
use crate::workspace;

/// Adds the step.
pub(crate) fn add_to(steps: &mut Steps) {
    steps.add("threshold signing", |log| {
        let program = workspace::binary(log, "threshold-signing")?;
        let mut messages = 0;
        for parties in ["4", "7"] {
            let how = ["demo", "--json", "--parties", parties, "--corrupt", "2", "--kill", "0"];
            let said = log.run(Command::new(&program).args(how))?;
            messages += signed(&said)?;
        }
        Ok(format!("{messages} messages, each verified by OpenSSL; the liar named"))
    });
}

/// How many messages were signed, if all is as it should be. The object is one line among those on standard error.
fn signed(output: &str) -> Outcome<u64> {
    let mut reports = output.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let report = reports.rfind(Value::is_object).ok_or("no report")?;
    if report.get("openssl") != Some(&Value::Bool(true)) || report.get("culprit") != Some(&"party2".into()) {
        return Err(format!("not as it should be: {report}"));
    }
    report.get("messages").and_then(Value::as_u64).ok_or_else(|| format!("no messages: {report}"))
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
