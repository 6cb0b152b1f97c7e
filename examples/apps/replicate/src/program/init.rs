use std::fs;
use std::path::PathBuf;

use quorate_replicate::node::group::{self, ClientEntry, Group, GroupFile, ReplicaEntry};
use quorate_replicate::node::{Exit, Failure, OrFail};
use quorate_support::outln;

use crate::signer::SignerName;

/// Create a group: the group file, and a key file per replica and client.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  replicate init --out group
  replicate run --group group/group.toml --key group/replica0.key --data group/replica0
  (likewise for replica1 to replica3, each in its own terminal)
  replicate submit --group group/group.toml --key group/client0.key 5")]
pub(crate) struct InitArgs {
    /// Number f of faulty replicas to tolerate, with 3f + 1 replicas.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=33))]
    faulty: u16,

    /// Number of clients.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    clients: u16,

    /// Address of a replica, HOST:PORT, for each replica in turn: links over TLS between hosts. By default the replicas run on
    /// one host and use shared memory.
    #[arg(long, value_name = "ADDRESS", value_delimiter = ',')]
    listen: Vec<String>,

    /// Signature scheme of the slow path.
    #[arg(long, value_enum, default_value_t = SignerName::Dsig)]
    signer: SignerName,

    /// Output directory; created if missing. Existing files are not overwritten.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,

    /// Print the result as one JSON object.
    #[arg(long)]
    json: bool,
}

impl InitArgs {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        fs::create_dir_all(&self.out).or_fail(Exit::Setup, self.out.display())?;
        let path = self.out.join("group.toml");
        if path.exists() {
            let text = format!("{} already exists; choose another directory", path.display());
            return Err(Failure::new(Exit::Setup, text));
        }
        let count = 3 * usize::from(self.faulty) + 1;
        if !self.listen.is_empty() && self.listen.len() != count {
            let text = format!("--listen: expected {count} addresses, got {}", self.listen.len());
            return Err(Failure::new(Exit::Usage, text));
        }
        let make = |name: &str| {
            let key = group::generate()?;
            group::save(&key, &self.out.join(format!("{name}.key")))?;
            Ok::<_, Failure>(group::public(&key))
        };
        let mut file = GroupFile {
            signer: self.signer.signer(),
            checkpoint: 32,
            replica: Vec::new(),
            client: Vec::new(),
        };
        for i in 0..count {
            let name = format!("replica{i}");
            let listen = self.listen.get(i).cloned().unwrap_or_else(|| format!("shm:{name}.sock"));
            let key = make(&name)?;
            file.replica.push(ReplicaEntry { name, listen, key });
        }
        for i in 0..self.clients {
            let name = format!("client{i}");
            let key = make(&name)?;
            file.client.push(ClientEntry { name, key });
        }
        let text = toml::to_string(&file).or_fail(Exit::Failed, "cannot encode the group")?;
        Group::new(file.clone(), &self.out)?;
        // Written last, so that a directory with a group file is complete.
        fs::write(&path, text).or_fail(Exit::Setup, path.display())?;
        if self.json {
            let names = file.replica.iter().map(|replica| &replica.name);
            let names: Vec<_> = names.chain(file.client.iter().map(|client| &client.name)).collect();
            outln!("{}", serde_json::json!({ "group": path, "names": names }));
        } else {
            outln!(
                "group: {}, {} replicas, {} clients",
                path.display(),
                file.replica.len(),
                file.client.len()
            );
        }
        Ok(())
    }
}
