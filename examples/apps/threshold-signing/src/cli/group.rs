use std::fs;
use std::path::PathBuf;

use quorate_support::outln;
use quorate_threshold_signing::failure::{Exit, Failure, OrFail};
use quorate_threshold_signing::files::write_new;
use quorate_threshold_signing::group::Group;

use super::common::{Outcome, print_json};

/// Join public key files to a group file for all parties and requesters.
///
/// A party's index is its position among the parties. The file is text and lists the parties and the requesters.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  threshold-signing group --name vault --faulty 1 --out group.toml alice.public bob.public carol.public dave.public client.public")]
pub(super) struct GroupArgs {
    /// Name of the group.
    #[arg(long)]
    name: String,

    /// Number of parties, f, that may be malicious or down at the same time; at least 3 · f + 1 parties are needed.
    #[arg(long, value_name = "F")]
    faulty: u16,

    /// The file to create; it is not overwritten.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,

    /// The public file that `keys` wrote, for each party and each requester.
    #[arg(required = true, value_name = "PUBLIC")]
    public: Vec<PathBuf>,

    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl GroupArgs {
    pub(super) fn run(&self) -> Outcome {
        let mut text = format!(
            "# Identical for all parties and requesters. A party's index is its place in the list. Other keys or another name make another \
             group.\nname = {:?}\nfaulty = {}\n",
            self.name, self.faulty
        );
        for path in &self.public {
            let section = fs::read_to_string(path).or_fail(Exit::Setup, path.display())?;
            text.push('\n');
            text.push_str(&section);
        }
        let group =
            Group::parse(&text).map_err(|e| Failure::setup(format!("the files do not make a group: {e}")))?;
        write_new(&self.out, false, text.as_bytes())?;
        if self.json {
            print_json(
                &serde_json::json!({ "group": self.out, "id": group.id(), "parties": group.parties.len(),
                "faulty": group.tolerance.faulty(), "requesters": group.requesters.len() }),
            );
        } else {
            outln!("group:  {}\nid:     {}", self.out.display(), group.id());
        }
        Ok(())
    }
}
