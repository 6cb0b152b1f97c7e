use std::fs;
use std::path::PathBuf;

use quorate_support::outln;
use serde::Serialize;

use crate::exit::{Exit, Failure, OrFail};
use crate::group;
use crate::group_args::{GroupArgs, MemoryArgs};
use crate::signer::{Make, WithSigner, with_signer};

/// Create a group: the group file, and a key file per member.
///
/// Distribute the group file to all members and each key file to its member only. Addresses have one host and
/// consecutive ports; to change them, edit the group file before the members start (this creates another group).
/// Parameters that all members share, such as --tail, are not part of the files; they are given here to compute the
/// memory of a member.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  quorate-broadcast init --members 4 --out group
  quorate-broadcast run --group group/group.toml --keys group/node0.keys --data group/node0
  (likewise for node1 to node3, each in its own terminal; then type lines)")]
pub(crate) struct InitArgs {
    /// Number of members. Four tolerate one faulty member, seven tolerate two.
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..=1000))]
    members: u16,

    /// Host of all members.
    #[arg(long, default_value = "127.0.0.1")]
    host: String,

    /// Port of the first member.
    #[arg(long, default_value_t = 7400)]
    port: u16,

    /// Output directory; created if missing. Existing files are not overwritten.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,

    #[command(flatten)]
    group_args: GroupArgs,

    #[command(flatten)]
    memory: MemoryArgs,

    /// Print the result as one JSON object.
    #[arg(long)]
    json: bool,
}

/// Output of the command.
#[derive(Debug, Serialize)]
struct Made {
    group: PathBuf,
    members: Vec<MadeMember>,
    /// Maximum memory per member.
    memory_bytes: u128,
}

#[derive(Debug, Serialize)]
struct MadeMember {
    name: String,
    address: String,
    keys: PathBuf,
}

/// Computes the maximum memory of a member.
struct Check<'a>(&'a InitArgs);

impl WithSigner for Check<'_> {
    type Output = Result<u128, Failure>;

    fn call<A: Make>(self) -> Self::Output {
        let InitArgs { group_args, memory, members, .. } = self.0;
        memory.check::<A>(&group_args.group_parameters().parameters(), *members)
    }
}

impl InitArgs {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        if self.port.checked_add(self.members - 1).is_none() {
            return Err(Failure::new(
                Exit::Usage,
                "--port: the last port would exceed 65535; choose a lower port",
            ));
        }
        let memory_bytes = with_signer(self.group_args.group_parameters().authentication, Check(self))?;
        let addresses = (0..self.members).map(|i| format!("{}:{}", self.host, self.port + i)).collect();
        let (genesis, keys) = group::make(addresses)?;
        fs::create_dir_all(&self.out)
            .or_fail(Exit::Setup, format!("cannot create {}", self.out.display()))?;
        let path = self.out.join("group.toml");
        if path.exists() {
            let text = format!("{} already exists; choose another directory", path.display());
            return Err(Failure::new(Exit::Setup, text));
        }
        let mut members = Vec::new();
        for (member, keys) in genesis.members.iter().zip(&keys) {
            let file = self.out.join(format!("{}.keys", member.name));
            keys.save(&file)?;
            let (name, address) = (member.name.clone(), member.address.clone());
            members.push(MadeMember { name, address, keys: file });
        }
        // Written last, so that a directory with a group file is complete.
        fs::write(&path, genesis.to_toml()?)
            .or_fail(Exit::Setup, format!("cannot write {}", path.display()))?;
        let made = Made { group: path, members, memory_bytes };
        if self.json {
            outln!("{}", serde_json::to_string(&made).or_fail(Exit::Failed, "cannot print")?);
        } else {
            outln!("group: {}", made.group.display());
            for member in &made.members {
                outln!("keys:  {}", member.keys.display());
            }
        }
        Ok(())
    }
}
