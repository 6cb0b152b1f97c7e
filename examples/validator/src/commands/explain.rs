use quorate_node::NodeError;
use quorate_support::outln;

use crate::exit::{Exit, Failure};
use crate::handbook;

/// Explain an error that stopped a validator, and the way back.
///
/// Prints the section of the operators' handbook about the code that the validator printed last.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  quorate explain EMPTY_DATA
  quorate explain                 (lists the codes)")]
pub(crate) struct Explain {
    /// The code, in capital letters.
    code: Option<String>,
}

impl Explain {
    /// Prints the section, or the list of codes.
    pub(crate) fn run(self) -> Result<(), Failure> {
        let Some(code) = self.code else {
            NodeError::CODES.iter().for_each(|code| outln!("{code}"));
            return Ok(());
        };
        let known = [NodeError::CODES, quorate::Error::CODES].concat().contains(&code.as_str());
        let section = handbook::section(&code).filter(|_| known);
        let unknown = || {
            Failure::new(Exit::NotFound, format!("unknown code {code}; `quorate explain` lists the codes"))
        };
        outln!("{}", section.ok_or_else(unknown)?);
        Ok(())
    }
}
