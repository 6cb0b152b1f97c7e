use std::fs;
use std::path::PathBuf;

use quorate_support::say;
use quorate_threshold_signing::failure::{Exit, Failure, OrFail};
use quorate_threshold_signing::files::write_new;
use quorate_threshold_signing::group::Group;

use super::common::{Outcome, print_json};

/// Put the public halves of the keys together to a group file, which goes to everybody.
///
/// A party's index is its place among the parties. The file is text: whoever has it can read who may sign and who may ask.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  threshold-signing group --name vault --faulty 1 --out group.toml alice.public bob.public carol.public dave.public client.public")]
pub(super) struct GroupArgs {
    /// What people call the group.
    #[arg(long)]
    name: String,

    /// How many parties may lie, be broken into or be down at once: f, of at least 3 · f + 1.
    #[arg(long, value_name = "F")]
    faulty: u16,

    /// The file to write; it is not overwritten.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,

    /// What `keys` wrote for each party and each requester.
    #[arg(required = true, value_name = "PUBLIC")]
    public: Vec<PathBuf>,

    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl GroupArgs {
    pub(super) fn run(&self) -> Outcome {
        let mut text = format!(
            "# The same at everybody. A party's index is its place in the list; other keys or another name make another \
             group.\nname = {:?}\nfaulty = {}\n",
            self.name, self.faulty
        );
        for path in &self.public {
            let section = fs::read_to_string(path).or_fail(Exit::Setup, path.display())?;
            text.push('\n');
            text.push_str(&section);
        }
        let group = Group::parse(&text).map_err(|e| Failure::setup(format!("no group comes of it: {e}")))?;
        write_new(&self.out, false, text.as_bytes())?;
        if self.json {
            print_json(
                &serde_json::json!({ "group": self.out, "id": group.id(), "parties": group.parties.len(),
                "faulty": group.tolerance.faulty(), "requesters": group.requesters.len() }),
            );
        } else {
            say!("group:  {}\nid:     {}", self.out.display(), group.id());
        }
        Ok(())
    }
}
