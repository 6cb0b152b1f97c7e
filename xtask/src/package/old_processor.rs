//! The same programs on a processor without AVX and ADX, which QEMU emulates: what is compiled here must run on
//! machines that are older than this one.

use std::path::Path;
use std::process::Command;

use super::sandbox::Sandbox;
use crate::environment;
use crate::process::{Outcome, is_there};
use crate::steps::Log;

/// Intel's of 2008: the oldest that anybody still runs a server on.
const PROCESSOR: &str = "Nehalem";
/// What it must not have. A library that uses one of them without asking dies.
const ABSENT: &str = "lacks avx avx2 adx bmi2";

/// The emulator, installed if it is missing; None where libraries are made for other processors.
pub(super) fn emulator(log: &Log) -> Outcome<Option<Emulator>> {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        return Ok(None);
    }
    if !is_there(Emulator::PROGRAM) {
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

    /// Checks, with the program made of [`super::smoke::PROCESSOR`], that what is emulated is old indeed: it denies
    /// having AVX and ADX, and programs that use them all the same die.
    pub(super) fn check(self, log: &Log, sandbox: &Sandbox, program: &Path) -> Outcome {
        let said = log.run(&mut self.command(sandbox, program))?;
        if said.trim() != ABSENT {
            return Err(format!(
                "the emulated processor should print `{ABSENT}` and printed `{}`",
                said.trim()
            ));
        }
        for feature in ["avx", "adx"] {
            if log.run(self.command(sandbox, program).arg(feature)).is_ok() {
                return Err(format!(
                    "the emulated processor ran an instruction of {feature}: the test is void"
                ));
            }
        }
        Ok(())
    }

    /// For the step's line.
    pub(super) fn said(self) -> String {
        format!("also on an emulated {PROCESSOR}")
    }
}
