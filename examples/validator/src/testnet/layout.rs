use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};

use quorate_node::config::NodeConfig;
use quorate_node::genesis::{Genesis, Parameters, ProtocolName, SchemeName};

use crate::commands::genesis::{assemble, save};
use crate::commands::keygen::{self, SECRET_FILE};
use crate::exit::{Exit, Failure, OrFail};

/// Ports are chosen here: below what Linux (from 32768) and others (from 49152) give to outgoing connections, or a
/// validator that is down could find its port taken by somebody's connection.
const PORTS: std::ops::Range<u16> = 10_000..32_000;
/// Links, HTTP, stream.
const PORTS_PER_NODE: u16 = 3;
/// A stage of a protocol with a clock lasts so long for each validator, or as long as usual.
const STAGE_MS_PER_NODE: u32 = 16;
/// How many places are tried.
const PORT_ATTEMPTS: usize = 200;

/// What was asked for; what was not is as it is in the directory, or usual.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Wanted {
    pub nodes: Option<usize>,
    pub protocol: Option<ProtocolName>,
    pub scheme: Option<SchemeName>,
}

/// Where the files of a testnet are.
#[derive(Debug)]
pub(crate) struct Layout {
    pub directory: PathBuf,
    pub genesis: PathBuf,
    pub protocol: ProtocolName,
    pub scheme: SchemeName,
    pub nodes: Vec<NodePlace>,
    /// Whether the directory held a testnet before.
    pub continued: bool,
}

/// One validator's files and addresses.
#[derive(Debug)]
pub(crate) struct NodePlace {
    pub name: String,
    pub config: PathBuf,
    pub log: PathBuf,
    pub http: String,
    pub stream: String,
}

impl Layout {
    /// Makes a testnet's files, or takes up the ones that are there.
    pub(crate) fn prepare(directory: &Path, wanted: Wanted, parameters: Parameters) -> Result<Self, Failure> {
        fs::create_dir_all(directory).or_fail(Exit::Setup, format!("cannot make {}", directory.display()))?;
        let directory =
            directory.canonicalize().or_fail(Exit::Setup, format!("cannot use {}", directory.display()))?;
        let genesis = directory.join("genesis.toml");
        if genesis.exists() {
            return Self::take_up(directory, genesis, wanted);
        }
        let (nodes, scheme) = (wanted.nodes.unwrap_or(4), wanted.scheme.unwrap_or(SchemeName::Bls));
        let base = free_ports(nodes)?;
        let mut members = Vec::new();
        for index in 0..nodes {
            let name = format!("node{index}");
            let address = format!("127.0.0.1:{}", port(base, index, 0));
            members.push((keygen::make(&directory.join(&name), &name, &address, scheme)?, 1));
        }
        for index in 0..nodes {
            let place = directory.join(format!("node{index}"));
            let mut config = NodeConfig::new("../genesis.toml", SECRET_FILE, "data");
            config.links.listen = format!("127.0.0.1:{}", port(base, index, 0));
            config.clients.http = format!("127.0.0.1:{}", port(base, index, 1));
            config.clients.stream = format!("127.0.0.1:{}", port(base, index, 2));
            let path = place.join("config.toml");
            fs::write(&path, config.to_toml())
                .or_fail(Exit::Setup, format!("cannot write {}", path.display()))?;
        }
        let mut made = assemble("testnet", members, wanted.protocol.unwrap_or_default(), parameters)?;
        if let Some(schedule) = &mut made.schedule {
            // All of them share this machine's processors, and what they do in a stage grows with their number.
            let stage = STAGE_MS_PER_NODE.saturating_mul(nodes as u32);
            schedule.proposals_ms = schedule.proposals_ms.max(stage);
            schedule.signatures_ms = schedule.signatures_ms.max(stage);
        }
        // Last, so that a directory with a genesis is a whole one.
        save(&made, &genesis)?;
        Self::read(directory, genesis, &made, false)
    }

    /// Removes what [`prepare`](Self::prepare) has just made.
    pub(crate) fn discard(self) -> Result<(), Failure> {
        let doing = format!("cannot clean {}", self.directory.display());
        for node in &self.nodes {
            fs::remove_dir_all(self.directory.join(&node.name)).or_fail(Exit::Failed, &doing)?;
        }
        fs::remove_file(&self.genesis).or_fail(Exit::Failed, doing)
    }

    fn take_up(directory: PathBuf, path: PathBuf, wanted: Wanted) -> Result<Self, Failure> {
        let genesis = Genesis::load(&path).or_fail(Exit::Setup, "cannot take the testnet up again")?;
        let same = wanted.nodes.is_none_or(|nodes| nodes == genesis.members.len())
            && wanted.protocol.is_none_or(|protocol| protocol == genesis.protocol)
            && wanted.scheme.is_none_or(|scheme| scheme == genesis.scheme);
        if !same {
            let text = format!(
                "{} holds a testnet of {} validators that run {} with {}; name another directory with --data, or leave \
                 --nodes, --protocol and --scheme out to go on with this one",
                directory.display(),
                genesis.members.len(),
                genesis.protocol,
                genesis.scheme
            );
            return Err(Failure::new(Exit::Setup, text));
        }
        Self::read(directory, path, &genesis, true)
    }

    fn read(directory: PathBuf, path: PathBuf, genesis: &Genesis, continued: bool) -> Result<Self, Failure> {
        let place = |member: &quorate_node::genesis::Member| {
            let place = directory.join(&member.name);
            let path = place.join("config.toml");
            let config = NodeConfig::load(&path).or_fail(Exit::Setup, "cannot use the testnet's files")?;
            Ok(NodePlace {
                name: member.name.clone(),
                log: place.join("log.txt"),
                config: path,
                http: config.clients.http,
                stream: config.clients.stream,
            })
        };
        let nodes = genesis.members.iter().map(place).collect::<Result<_, Failure>>()?;
        let (protocol, scheme) = (genesis.protocol, genesis.scheme);
        Ok(Self { genesis: path, protocol, scheme, nodes, continued, directory })
    }
}

fn port(base: u16, node: usize, which: u16) -> u16 {
    base + node as u16 * PORTS_PER_NODE + which
}

/// Consecutive ports that are free at this moment. The place is random, so that testnets that start at the same
/// time hardly meet; if they do, a validator says that its port is taken, and the testnet begins again elsewhere.
fn free_ports(nodes: usize) -> Result<u16, Failure> {
    use std::hash::{BuildHasher, Hasher};
    let needed = u16::try_from(nodes).ok().and_then(|n| n.checked_mul(PORTS_PER_NODE));
    let room =
        needed.and_then(|needed| (PORTS.end - PORTS.start).checked_sub(needed)).filter(|room| *room > 0);
    let (Some(needed), Some(room)) = (needed, room) else {
        return Err(Failure::new(Exit::Usage, format!("{nodes} validators need more ports than there are")));
    };
    for _ in 0..PORT_ATTEMPTS {
        let random = std::hash::RandomState::new().build_hasher().finish();
        let base = PORTS.start + (random % u64::from(room)) as u16;
        let free = (base..base + needed).map(|port| TcpListener::bind(("127.0.0.1", port)));
        if free.collect::<Result<Vec<_>, _>>().is_ok() {
            return Ok(base);
        }
    }
    Err(Failure::new(Exit::PortTaken, format!("no {needed} consecutive free ports on 127.0.0.1")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_testnet_is_made_once_and_taken_up_again() {
        let dir = tempfile::tempdir().unwrap();
        let prepare = |wanted| Layout::prepare(dir.path(), wanted, Parameters::default());
        let scheme = Some(SchemeName::Ed25519);
        let made = prepare(Wanted { nodes: Some(3), scheme, ..Wanted::default() }).unwrap();
        assert!(!made.continued);
        assert_eq!(made.nodes.len(), 3);
        let again = prepare(Wanted::default()).unwrap();
        assert!(again.continued);
        assert_eq!(again.scheme, SchemeName::Ed25519);
        assert_eq!(again.nodes[2].http, made.nodes[2].http);
        let gosig = Some(ProtocolName::Gosig);
        for other in
            [Wanted { nodes: Some(4), ..Wanted::default() }, Wanted { protocol: gosig, ..Wanted::default() }]
        {
            assert_eq!(prepare(other).unwrap_err().exit(), Exit::Setup);
        }
    }

    #[test]
    fn chosen_ports_are_free_and_in_their_range() {
        let base = free_ports(20).unwrap();
        assert!(PORTS.contains(&base) && base + 60 <= PORTS.end);
        assert_eq!(free_ports(30_000).unwrap_err().exit(), Exit::Usage);
    }
}
