use std::fs;
use std::path::PathBuf;

use quorate_support::{errln, outln};

use super::source::Source;
use crate::chain::{Chain, Epoch};
use crate::exit::{Exit, Failure, OrFail};
use crate::responses::ServedEpochs;

/// Show the members, verified from the genesis on.
///
/// Each membership change since the genesis is proved by the committee of its epoch, so a false list is detected.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  quorate member list
  quorate member list --json | jq '.[-1].members[].name'
  quorate member list --save epochs.json      (then, without a network: quorate member allow … --epochs epochs.json)")]
pub(super) struct List {
    /// Print a JSON list of all epochs instead, the newest last.
    #[arg(long)]
    json: bool,

    /// Save the proofs to a file, for the option --epochs of the member commands.
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,

    #[command(flatten)]
    source: Source,
}

impl List {
    /// Prints the members.
    pub(super) async fn run(self) -> Result<(), Failure> {
        let (chain, epochs) = self.source.served().await?;
        if let Some(path) = &self.save {
            let doing = format!("cannot write {}", path.display());
            let text = serde_json::to_vec(&ServedEpochs { epochs }).or_fail(Exit::Failed, &doing)?;
            fs::write(path, text).or_fail(Exit::Setup, doing)?;
        }
        if self.json {
            print_json(&chain)
        } else {
            print_table(&chain)?
        }
        Ok(())
    }
}

fn print_json(chain: &Chain) {
    let epoch = |epoch: &Epoch| {
        let member = |member: &quorate_node::epochs::Member| {
            serde_json::json!({
                "name": member.name,
                "address": member.address,
                "weight": member.weight.to_string(),
                "identity_key": member.identity_key,
                "voting_key": member.voting_key,
            })
        };
        serde_json::json!({
            "epoch": epoch.number,
            "first_height": epoch.first_height,
            "members": epoch.members.iter().map(member).collect::<Vec<_>>(),
        })
    };
    outln!("{}", chain.epochs().iter().map(epoch).collect::<serde_json::Value>());
}

fn print_table(chain: &Chain) -> Result<(), Failure> {
    let epoch = chain.current()?;
    outln!("{:>5}  {:<20} {:<24} {:>8}  identity key", "", "name", "address", "weight");
    for (index, member) in epoch.members.iter().enumerate() {
        let address = if member.address.is_empty() { "(unknown)" } else { &member.address };
        outln!("{index:>5}  {:<20} {address:<24} {:>8}  {}", member.name, member.weight, member.identity_key);
    }
    let voters = &epoch.committees.voters;
    outln!(
        "\nchain {}, epoch {} from height {}; quorum: weight {} of {}",
        chain.genesis.chain,
        epoch.number,
        epoch.first_height,
        voters.quorum_weight(),
        voters.total_weight()
    );
    errln!("verified against the genesis file");
    Ok(())
}
