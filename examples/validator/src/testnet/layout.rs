use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};

use quorate_node::config::NodeConfig;
use quorate_node::genesis::{Genesis, Parameters, ProtocolName, SchemeName};

use crate::commands::genesis::{assemble, save};
use crate::commands::keygen::{self, PublicFile, SECRET_FILE};
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
#[derive(Clone, Debug, Default)]
pub(crate) struct Wanted {
    pub nodes: Option<usize>,
    pub protocol: Option<ProtocolName>,
    pub scheme: Option<SchemeName>,
}

/// A validator's configuration.
const CONFIG_FILE: &str = "config.toml";

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
#[derive(Clone, Debug)]
pub(crate) struct NodePlace {
    pub name: String,
    pub config: PathBuf,
    pub keys: PathBuf,
    pub log: PathBuf,
    pub http: String,
    pub stream: String,
}

impl Layout {
    /// Makes a testnet's files, or takes up the ones that are there.
    pub(crate) fn prepare(
        directory: &Path,
        wanted: &Wanted,
        parameters: Parameters,
    ) -> Result<Self, Failure> {
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
            members.push((make(&directory, index, port(base, index), scheme, false)?, 1));
        }
        let mut made = assemble("testnet", members, wanted.protocol.clone().unwrap_or_default(), parameters)?;
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

    /// Makes the files of a validator that is no member yet, and has nothing.
    pub(crate) fn add(&mut self) -> Result<PublicFile, Failure> {
        let public = make(&self.directory, self.nodes.len(), free_ports(1)?, self.scheme, true)?;
        self.nodes.push(place(&self.directory, &public.name)?);
        Ok(public)
    }

    /// Removes what [`prepare`](Self::prepare) has just made.
    pub(crate) fn discard(self) -> Result<(), Failure> {
        let doing = format!("cannot clean {}", self.directory.display());
        for node in &self.nodes {
            fs::remove_dir_all(self.directory.join(&node.name)).or_fail(Exit::Failed, &doing)?;
        }
        fs::remove_file(&self.genesis).or_fail(Exit::Failed, doing)
    }

    fn take_up(directory: PathBuf, path: PathBuf, wanted: &Wanted) -> Result<Self, Failure> {
        let genesis = Genesis::load(&path).or_fail(Exit::Setup, "cannot take the testnet up again")?;
        let same = wanted.nodes.is_none_or(|nodes| nodes == genesis.members.len())
            && wanted.protocol.as_ref().is_none_or(|protocol| *protocol == genesis.protocol)
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
        let mut names: Vec<String> = genesis.members.iter().map(|member| member.name.clone()).collect();
        // Who has joined since.
        while directory.join(name(names.len())).join(CONFIG_FILE).exists() {
            names.push(name(names.len()));
        }
        let nodes = names.iter().map(|name| place(&directory, name)).collect::<Result<_, Failure>>()?;
        let (protocol, scheme) = (genesis.protocol.clone(), genesis.scheme);
        Ok(Self { genesis: path, protocol, scheme, nodes, continued, directory })
    }
}

/// The name of a validator, and of its directory.
fn name(index: usize) -> String {
    format!("node{index}")
}

/// The files and addresses of a validator that has them.
fn place(directory: &Path, name: &str) -> Result<NodePlace, Failure> {
    let place = directory.join(name);
    let path = place.join(CONFIG_FILE);
    let config = NodeConfig::load(&path).or_fail(Exit::Setup, "cannot use the testnet's files")?;
    Ok(NodePlace {
        name: name.to_owned(),
        keys: place.join(SECRET_FILE),
        log: place.join("log.txt"),
        config: path,
        http: config.clients.http,
        stream: config.clients.stream,
    })
}

/// Makes a validator's keys and configuration; its ports begin with `port`.
fn make(
    directory: &Path,
    index: usize,
    port: u16,
    scheme: SchemeName,
    observe: bool,
) -> Result<PublicFile, Failure> {
    let name = name(index);
    let place = directory.join(&name);
    let [links, http, stream] = [0, 1, 2].map(|which| format!("127.0.0.1:{}", port + which));
    let public = keygen::make(&place, &name, &links, scheme)?;
    let mut config = NodeConfig::new("../genesis.toml", SECRET_FILE, "data");
    config.node.observe = observe;
    config.links.listen = links;
    config.clients.http = http;
    config.clients.stream = stream;
    let path = place.join(CONFIG_FILE);
    fs::write(&path, config.to_toml()).or_fail(Exit::Setup, format!("cannot write {}", path.display()))?;
    Ok(public)
}

fn port(base: u16, node: usize) -> u16 {
    base + node as u16 * PORTS_PER_NODE
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
    use crate::protocols::GOSIG;

    #[test]
    fn a_testnet_is_made_once_and_taken_up_again() {
        let dir = tempfile::tempdir().unwrap();
        let prepare = |wanted: Wanted| Layout::prepare(dir.path(), &wanted, Parameters::default());
        let scheme = Some(SchemeName::Ed25519);
        let made = prepare(Wanted { nodes: Some(3), scheme, ..Wanted::default() }).unwrap();
        assert!(!made.continued);
        assert_eq!(made.nodes.len(), 3);
        let again = prepare(Wanted::default()).unwrap();
        assert!(again.continued);
        assert_eq!(again.scheme, SchemeName::Ed25519);
        assert_eq!(again.nodes[2].http, made.nodes[2].http);
        let (mut grown, before) = (again, made.nodes.len());
        let public = grown.add().unwrap();
        assert_eq!((&*public.name, grown.nodes.len()), ("node3", before + 1));
        assert!(NodeConfig::load(&grown.nodes[3].config).unwrap().node.observe);
        // It belongs to the testnet from then on, though the genesis does not know it.
        assert_eq!(prepare(Wanted { nodes: Some(3), ..Wanted::default() }).unwrap().nodes.len(), before + 1);
        let gosig = Some(GOSIG.parse().unwrap());
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
