//! `examples/protocols/broadcast` in the simulator, with all three signature modes.

use std::process::Command;

use crate::steps::Steps;

/// Adds the step.
pub(crate) fn add_to(steps: &mut Steps, seeds: u64) {
    steps.add("broadcast", move |log| {
        let program = crate::build::binary(log, "quorate-broadcast")?;
        let output = log.run(Command::new(program).args(["simulate", "--seeds", &seeds.to_string()]))?;
        Ok(output.lines().last().unwrap_or_default().to_owned())
    });
}
