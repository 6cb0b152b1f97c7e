//! Arguments and output that several commands share.

use std::path::PathBuf;

use clap::Args;
use quorate_threshold_signing::deal::PublicDeal;
use quorate_threshold_signing::failure::Failure;
use quorate_threshold_signing::files::read_message;
use quorate_threshold_signing::group::Group;

/// Result of a command.
pub(super) type Outcome = Result<(), Failure>;

/// The public files: group and deal.
#[derive(Debug, Args)]
pub(super) struct PublicFiles {
    /// The group file, made by `group`.
    #[arg(long, value_name = "FILE")]
    group: PathBuf,

    /// The public deal file of the current epoch, made by `deal`.
    #[arg(long, value_name = "FILE")]
    deal: PathBuf,
}

impl PublicFiles {
    pub(super) fn load(&self) -> Result<(Group, PublicDeal), Failure> {
        let (group, public) = (Group::load(&self.group)?, PublicDeal::load(&self.deal)?);
        public.require(&group)?;
        Ok((group, public))
    }
}

/// A message, as text or as a file.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub(super) struct MessageArgs {
    /// The message as text.
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,

    /// A file with the message.
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
}

impl MessageArgs {
    pub(super) fn bytes(&self) -> Result<Vec<u8>, Failure> {
        match (&self.message, &self.file) {
            (Some(text), _) => Ok(text.as_bytes().to_vec()),
            (None, Some(path)) => read_message(path),
            // clap requires one of the two.
            (None, None) => Err(Failure::setup("no message")),
        }
    }
}

pub(super) fn print_json(value: &serde_json::Value) {
    quorate_support::outln!("{value}");
}
