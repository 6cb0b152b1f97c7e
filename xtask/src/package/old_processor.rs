//! Runs programs on an emulated processor without AVX and ADX: packages must run on machines older than this one.

use std::path::Path;
use std::process::Command;

use super::sandbox::Sandbox;
use crate::environment;
use crate::process::{Outcome, is_on_path};
use crate::steps::Log;

/// Intel's server processor of 2008.
const PROCESSOR: &str = "Nehalem";
/// Output of the program [`super::smoke::PROCESSOR`] on it. A library that uses one of these without a check crashes.
const ABSENT: &str = "lacks avx avx2 adx bmi2";

/// The emulator, installed if it is missing; `None` where libraries are for other processors.
pub(super) fn emulator(log: &Log) -> Outcome<Option<Emulator>> {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        return Ok(None);
    }
    if !is_on_path(Emulator::PROGRAM) {
        environment::install(log, &["qemu-user"])?;
    }
    Ok(Some(Emulator))
}

/// Runs programs of this system on the old processor.
#[derive(Clone, Copy, Debug)]
pub(super) struct Emulator;

impl Emulator {
    const PROGRAM: &str = "qemu-x86_64";

    /// A program on the old processor.
    pub(super) fn command(self, sandbox: &Sandbox, program: &Path) -> Command {
        let mut command = sandbox.command(Self::PROGRAM);
        command.args(["-cpu", PROCESSOR]).arg(program);
        command
    }

    /// Checks, with the program [`super::smoke::PROCESSOR`], that the emulated processor is old: it reports no AVX and ADX,
    /// and programs that use them nevertheless crash.
    pub(super) fn check(self, log: &Log, sandbox: &Sandbox, program: &Path) -> Outcome {
        let output = log.run(&mut self.command(sandbox, program))?;
        if output.trim() != ABSENT {
            return Err(format!(
                "expected the output `{ABSENT}` on the emulated processor, found `{}`",
                output.trim()
            ));
        }
        for feature in ["avx", "adx"] {
            if log.run(self.command(sandbox, program).arg(feature)).is_ok() {
                return Err(format!(
                    "the emulated processor executed an instruction of {feature}, so the test proves nothing"
                ));
            }
        }
        Ok(())
    }

    /// Text for the step's line.
    pub(super) fn description(self) -> String {
        format!("also on an emulated {PROCESSOR}")
    }
}
