use std::io::{IsTerminal, Write};
use std::path::PathBuf;

use quorate_node::keys::NodeKeys;
use quorate_support::{errln, outln};

use super::change::Proposal;
use super::file::ChangeFile;
use super::source::Source;
use crate::exit::{Exit, Failure, OrFail};

/// Approve a membership change as a member.
///
/// Shows the effect of the change, asks for confirmation, and signs it with the member's identity key. The signature is
/// added to those already in the file. If the file arrived over an untrusted channel, compare its digest with the
/// author of the change.
///
/// The signature is valid for this change, chain and epoch only.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  quorate member allow carol-joins.toml --keys alice/keys
  quorate member allow carol-joins.toml --keys alice/keys --out carol-joins-alice.toml
  quorate member allow carol-joins.toml --keys alice/keys --genesis genesis.toml --epochs epochs.json
      (on a machine without a network)")]
pub(super) struct Allow {
    /// The change file.
    #[arg(value_name = "CHANGE")]
    file: PathBuf,

    /// The member's key file.
    #[arg(long, value_name = "FILE")]
    keys: PathBuf,

    /// File with the password of encrypted keys; without it the variable QUORATE_KEY_PASSWORD, or the terminal.
    #[arg(long, value_name = "FILE")]
    password_file: Option<PathBuf>,

    /// Write the signed file here instead of updating CHANGE; the file must not exist.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Sign without asking for confirmation.
    #[arg(long)]
    yes: bool,

    /// Print a JSON object instead; needs --yes.
    #[arg(long, requires = "yes")]
    json: bool,

    #[command(flatten)]
    source: Source,
}

impl Allow {
    /// Shows the change, asks for confirmation, and signs it.
    pub(super) async fn run(self) -> Result<(), Failure> {
        let file = ChangeFile::load(&self.file)?;
        let keys = NodeKeys::load(&self.keys, self.password_file.as_deref());
        let keys = keys.or_fail(Exit::Setup, "cannot use the keys")?;
        let chain = self.source.chain().await?;
        let mut proposal = Proposal::check(&chain, file)?;
        if !self.json {
            proposal.print(&chain.genesis.chain);
        }
        if !self.yes && !confirmed(&proposal.title())? {
            return Err(Failure::new(Exit::NotAllowed, "not approved; nothing was signed"));
        }
        let name = proposal.allow(&keys)?;
        match &self.out {
            Some(path) => proposal.file.create(path)?,
            None => proposal.file.replace(&self.file)?,
        }
        if self.json {
            outln!("{}", proposal.json());
            return Ok(());
        }
        let path = self.out.as_ref().unwrap_or(&self.file).display();
        outln!("\n{path}: {name} approves: {}", proposal.title());
        if proposal.is_allowed() {
            outln!("quorum reached; next: quorate member submit {path} --wait");
        }
        Ok(())
    }
}

fn confirmed(title: &str) -> Result<bool, Failure> {
    if !std::io::stdin().is_terminal() {
        let text = "cannot ask for confirmation without a terminal; use --yes after reviewing the change";
        return Err(Failure::new(Exit::Usage, text));
    }
    errln!();
    let mut error = std::io::stderr();
    let mut answer = String::new();
    write!(error, "Approve \"{title}\"? [y/N] ")
        .and_then(|()| error.flush())
        .and_then(|()| std::io::stdin().read_line(&mut answer).map(drop))
        .or_fail(Exit::Failed, "cannot ask")?;
    Ok(matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
}
