use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use quorate_node::config::NodeConfig;
use quorate_node::genesis::{Genesis, Parameters, ProtocolName, SchemeName};
use quorate_node::keys::save_shares;
use quorate_node::protocol::{DealOptions, presignature_directory};
use quorate_support::ports;

use crate::commands::genesis::{Assembled, assemble, has_dealer, save};
use crate::commands::keygen::{self, PublicFile, SECRET_FILE};
use crate::commands::presignatures::Dealer;
use crate::exit::{Exit, Failure, OrFail};

/// Range of listening ports, below the ephemeral ports of Linux (from 32768) and of other systems (from 49152): an
/// outgoing connection could otherwise take the port of a stopped validator.
const PORTS: std::ops::Range<u16> = 10_000..32_000;
/// One port each for links, HTTP and the stream.
const PORTS_PER_NODE: u16 = 3;
/// Minimum length of a stage of a clocked protocol, in milliseconds per validator.
const STAGE_MS_PER_NODE: u32 = 16;

/// Requested properties of a testnet. `None` means the value of the existing directory, or the default.
#[derive(Clone, Debug, Default)]
pub(crate) struct RequestedTestnet {
    pub nodes: Option<usize>,
    pub protocol: Option<ProtocolName>,
    pub scheme: Option<SchemeName>,
    /// Number of epochs with presignatures; `None` without. Only for a new testnet.
    pub presigned_epochs: Option<u64>,
}

/// File name of a validator's configuration.
const CONFIG_FILE: &str = "config.toml";

/// File name of a validator's secrets from the dealer.
const SHARES_FILE: &str = "shares";

/// Directory of the dealer of presignatures.
const DEALER_DIRECTORY: &str = "dealer";

/// How a validator starts.
#[derive(Clone, Copy, Debug)]
enum Role {
    /// As a member.
    Validator,
    /// As a member of a chain whose keys a dealer makes.
    Dealt,
    /// As an observer that joins later.
    Observer,
}

/// Files and addresses of a testnet.
#[derive(Debug)]
pub(crate) struct Layout {
    pub directory: PathBuf,
    pub genesis: PathBuf,
    pub protocol: ProtocolName,
    pub scheme: SchemeName,
    pub nodes: Vec<NodePlace>,
    /// True if the directory already held a testnet.
    pub continued: bool,
}

/// One validator's files and addresses.
#[derive(Clone, Debug)]
pub(crate) struct NodePlace {
    pub name: String,
    pub config: PathBuf,
    pub keys: PathBuf,
    pub data: PathBuf,
    pub log: PathBuf,
    pub http: String,
    pub stream: String,
}

impl Layout {
    /// Creates the files of a testnet, or reads existing ones.
    pub(crate) fn prepare(
        directory: &Path,
        requested: &RequestedTestnet,
        parameters: Parameters,
    ) -> Result<Self, Failure> {
        fs::create_dir_all(directory)
            .or_fail(Exit::Setup, format!("cannot create {}", directory.display()))?;
        let directory =
            directory.canonicalize().or_fail(Exit::Setup, format!("cannot use {}", directory.display()))?;
        let genesis = directory.join("genesis.toml");
        if genesis.exists() {
            return Self::resume(directory, genesis, requested);
        }
        let (nodes, scheme) = (requested.nodes.unwrap_or(4), requested.scheme.unwrap_or(SchemeName::Bls));
        let base = free_ports(nodes)?;
        let mut members = Vec::new();
        let protocol = requested.protocol.clone().unwrap_or_default();
        let role = if has_dealer(&protocol) { Role::Dealt } else { Role::Validator };
        for index in 0..nodes {
            members.push((make(&directory, index, port(base, index), scheme, role)?, 1));
        }
        let options = DealOptions { encrypts: true, presigns: requested.presigned_epochs.is_some() };
        let Assembled { genesis: mut made, shares, dealer } =
            assemble("testnet", members, protocol, parameters, options)?;
        let paths: Vec<PathBuf> =
            (0..shares.len()).map(|index| directory.join(name(index)).join(SHARES_FILE)).collect();
        for (path, shares) in paths.iter().zip(&shares) {
            save_shares(path, shares).or_fail(Exit::Setup, "cannot save the shares")?;
        }
        if let Some(epochs) = requested.presigned_epochs {
            let directories: Vec<PathBuf> = paths.iter().map(|path| presignature_directory(path)).collect();
            let at = directory.join(DEALER_DIRECTORY);
            fs::create_dir_all(&at).or_fail(Exit::Setup, format!("cannot create {}", at.display()))?;
            Dealer::create(&at, dealer)?.deal(&made, 1, epochs, &directories)?;
        }
        if let Some(schedule) = &mut made.schedule {
            // The validators share this machine's processors, and the work per stage grows with their number.
            let stage = STAGE_MS_PER_NODE.saturating_mul(nodes as u32);
            schedule.proposals_ms = schedule.proposals_ms.max(stage);
            schedule.signatures_ms = schedule.signatures_ms.max(stage);
        }
        // Written last, so that a directory with a genesis file is complete.
        save(&made, &genesis)?;
        Self::read(directory, genesis, &made, false)
    }

    /// Creates the files of a new validator that is not yet a member.
    pub(crate) fn add(&mut self) -> Result<PublicFile, Failure> {
        let public = make(&self.directory, self.nodes.len(), free_ports(1)?, self.scheme, Role::Observer)?;
        self.nodes.push(place(&self.directory, &public.name)?);
        Ok(public)
    }

    /// Removes the files that [`prepare`](Self::prepare) created.
    pub(crate) fn discard(self) -> Result<(), Failure> {
        let doing = format!("cannot clean {}", self.directory.display());
        for node in &self.nodes {
            fs::remove_dir_all(self.directory.join(&node.name)).or_fail(Exit::Failed, &doing)?;
        }
        let dealer = self.directory.join(DEALER_DIRECTORY);
        if dealer.exists() {
            fs::remove_dir_all(dealer).or_fail(Exit::Failed, &doing)?;
        }
        fs::remove_file(&self.genesis).or_fail(Exit::Failed, doing)
    }

    fn resume(directory: PathBuf, path: PathBuf, requested: &RequestedTestnet) -> Result<Self, Failure> {
        let genesis = Genesis::load(&path).or_fail(Exit::Setup, "cannot continue the testnet")?;
        let same = requested.nodes.is_none_or(|nodes| nodes == genesis.members.len())
            && requested.protocol.as_ref().is_none_or(|protocol| *protocol == genesis.protocol)
            && requested.scheme.is_none_or(|scheme| scheme == genesis.scheme);
        if !same {
            let text = format!(
                "{} holds a testnet of {} validators that run {} with {}; choose another directory with --data, or omit \
                 --nodes, --protocol and --scheme to continue this one",
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
        // Validators that joined later.
        while directory.join(name(names.len())).join(CONFIG_FILE).exists() {
            names.push(name(names.len()));
        }
        let nodes = names.iter().map(|name| place(&directory, name)).collect::<Result<_, Failure>>()?;
        let (protocol, scheme) = (genesis.protocol.clone(), genesis.scheme);
        Ok(Self { genesis: path, protocol, scheme, nodes, continued, directory })
    }
}

/// Returns the name of a validator, which is also the name of its directory.
fn name(index: usize) -> String {
    format!("node{index}")
}

/// Reads the files and addresses of an existing validator.
fn place(directory: &Path, name: &str) -> Result<NodePlace, Failure> {
    let place = directory.join(name);
    let path = place.join(CONFIG_FILE);
    let config = NodeConfig::load(&path).or_fail(Exit::Setup, "cannot use the testnet's files")?;
    Ok(NodePlace {
        name: name.to_owned(),
        keys: place.join(SECRET_FILE),
        data: config.node.data,
        log: place.join("log.txt"),
        config: path,
        http: config.clients.http,
        stream: config.clients.stream,
    })
}

/// Creates a validator's keys and configuration. `port` is the first of its consecutive ports.
fn make(
    directory: &Path,
    index: usize,
    port: u16,
    scheme: SchemeName,
    role: Role,
) -> Result<PublicFile, Failure> {
    let name = name(index);
    let place = directory.join(&name);
    let [links, http, stream] = [0, 1, 2].map(|which| format!("127.0.0.1:{}", port + which));
    let public = keygen::make(&place, &name, &links, scheme)?;
    let mut config = NodeConfig::new("../genesis.toml", SECRET_FILE, "data");
    config.node.observe = matches!(role, Role::Observer);
    config.node.shares = matches!(role, Role::Dealt).then(|| SHARES_FILE.into());
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

/// Finds consecutive free ports at a random position, so that testnets that start at the same time rarely collide. After
/// a collision a validator reports a port in use, and the testnet starts again with other ports.
fn free_ports(nodes: usize) -> Result<u16, Failure> {
    let needed = u16::try_from(nodes).ok().and_then(|n| n.checked_mul(PORTS_PER_NODE));
    let block = needed.map(|needed| ports::free_block(PORTS, needed));
    match block {
        Some(Ok(first)) => Ok(first),
        Some(Err(error)) if error.kind() != ErrorKind::InvalidInput => {
            Err(Failure::new(Exit::PortTaken, error.to_string()))
        }
        _ => Err(Failure::new(Exit::Usage, format!("{nodes} validators need more ports than there are"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocols::GOSIG;

    #[test]
    fn a_testnet_is_created_once_and_continued() {
        let dir = tempfile::tempdir().unwrap();
        let prepare =
            |requested: RequestedTestnet| Layout::prepare(dir.path(), &requested, Parameters::default());
        let scheme = Some(SchemeName::Ed25519);
        let made =
            prepare(RequestedTestnet { nodes: Some(3), scheme, ..RequestedTestnet::default() }).unwrap();
        assert!(!made.continued);
        assert_eq!(made.nodes.len(), 3);
        let again = prepare(RequestedTestnet::default()).unwrap();
        assert!(again.continued);
        assert_eq!(again.scheme, SchemeName::Ed25519);
        assert_eq!(again.nodes[2].http, made.nodes[2].http);
        let (mut grown, before) = (again, made.nodes.len());
        let public = grown.add().unwrap();
        assert_eq!((&*public.name, grown.nodes.len()), ("node3", before + 1));
        assert!(NodeConfig::load(&grown.nodes[3].config).unwrap().node.observe);
        // It is part of the testnet from now on, although the genesis does not list it.
        assert_eq!(
            prepare(RequestedTestnet { nodes: Some(3), ..RequestedTestnet::default() }).unwrap().nodes.len(),
            before + 1
        );
        let gosig = Some(GOSIG.parse().unwrap());
        for other in [
            RequestedTestnet { nodes: Some(4), ..RequestedTestnet::default() },
            RequestedTestnet { protocol: gosig, ..RequestedTestnet::default() },
        ] {
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
