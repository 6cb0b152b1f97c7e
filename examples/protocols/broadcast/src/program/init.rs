use std::fs;
use std::path::PathBuf;

use quorate_support::say;
use serde::Serialize;

use crate::exit::{Exit, Failure, OrFail};
use crate::group;
use crate::group_args::{GroupArgs, MemoryArgs};
use crate::signer::{Make, WithSigner, with_signer};

/// Make a group: its file, and a key file for each member.
///
/// The group file goes to every member, each key file to its member alone. Addresses are of one host with ports that
/// count up; change them in the group file before the members start if they are elsewhere (that makes another group).
/// What all members must be given alike besides, such as --tail, is not in the files: it is asked for here to see how
/// much memory a member may take with it.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  quorate-broadcast init --members 4 --out group
  quorate-broadcast run --group group/group.toml --keys group/node0.keys --data group/node0
  (and so on for node1 to node3, each in a terminal of its own; then type lines)")]
pub(crate) struct InitArgs {
    /// How many members. Four bear one that is faulty, seven bear two.
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..=1000))]
    members: u16,

    /// The host of all of them.
    #[arg(long, default_value = "127.0.0.1")]
    host: String,

    /// The port of the first.
    #[arg(long, default_value_t = 7400)]
    port: u16,

    /// The directory to write into; it is made if need be, and nothing in it is overwritten.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,

    #[command(flatten)]
    terms: GroupArgs,

    #[command(flatten)]
    memory: MemoryArgs,

    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// What is printed.
#[derive(Debug, Serialize)]
struct Made {
    group: PathBuf,
    members: Vec<MadeMember>,
    /// What each may have to keep.
    memory_bytes: u128,
}

#[derive(Debug, Serialize)]
struct MadeMember {
    name: String,
    address: String,
    keys: PathBuf,
}

/// How much memory a member may take.
struct Check<'a>(&'a InitArgs);

impl WithSigner for Check<'_> {
    type Output = Result<u128, Failure>;

    fn call<A: Make>(self) -> Self::Output {
        let InitArgs { terms, memory, members, .. } = self.0;
        memory.check::<A>(&terms.terms().parameters(), *members)
    }
}

impl InitArgs {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        if self.port.checked_add(self.members - 1).is_none() {
            return Err(Failure::new(Exit::Usage, "--port: there are not so many ports; take a lower one"));
        }
        let memory_bytes = with_signer(self.terms.terms().authentication, Check(self))?;
        let addresses = (0..self.members).map(|i| format!("{}:{}", self.host, self.port + i)).collect();
        let (genesis, keys) = group::make(addresses)?;
        fs::create_dir_all(&self.out).or_fail(Exit::Setup, format!("cannot make {}", self.out.display()))?;
        let path = self.out.join("group.toml");
        if path.exists() {
            let text = format!("{} is there already; name another directory", path.display());
            return Err(Failure::new(Exit::Setup, text));
        }
        let mut members = Vec::new();
        for (member, keys) in genesis.members.iter().zip(&keys) {
            let file = self.out.join(format!("{}.keys", member.name));
            keys.save(&file)?;
            let (name, address) = (member.name.clone(), member.address.clone());
            members.push(MadeMember { name, address, keys: file });
        }
        // Last, so that a directory with a group file is a whole one.
        fs::write(&path, genesis.to_toml()?)
            .or_fail(Exit::Setup, format!("cannot write {}", path.display()))?;
        let made = Made { group: path, members, memory_bytes };
        if self.json {
            say!("{}", serde_json::to_string(&made).or_fail(Exit::Failed, "cannot print")?);
        } else {
            say!("group: {}", made.group.display());
            for member in &made.members {
                say!("keys:  {}", member.keys.display());
            }
        }
        Ok(())
    }
}
