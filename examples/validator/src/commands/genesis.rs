use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use quorate_node::genesis::{Genesis, Parameters, ProtocolName, Schedule};
use quorate_node::protocol::{Protocol, ProtocolVisitor};
use quorate_support::say;

use super::keygen::PublicFile;
use crate::exit::{Exit, Failure, OrFail};
use crate::protocols::{GOSIG, parse_protocol, with_protocol};

/// Put a chain's genesis file together from its validators' public keys.
///
/// Every validator starts from the same file. The order of the arguments is the order of the committee. The keys
/// are checked: duplicates, related keys and keys without proof of possession are refused by name.
#[derive(Debug, clap::Args)]
#[command(
    name = "genesis",
    after_help = "\
Example:
  quorate genesis --chain example --out genesis.toml alice/public.toml bob/public.toml \\
      carol/public.toml dave/public.toml=3
  (dave weighs three times as much as the others)"
)]
pub(crate) struct MakeGenesis {
    /// The chain's name.
    #[arg(long)]
    chain: String,

    /// How the validators agree: jolteon or gosig.
    ///
    /// Gosig has a clock, which begins now; [schedule] in the file says how long a round lasts. Change it before the
    /// chain begins or never.
    #[arg(long, default_value_t, value_parser = parse_protocol)]
    protocol: ProtocolName,

    /// The file to write; it must not exist.
    #[arg(long, value_name = "FILE", default_value = "genesis.toml")]
    out: PathBuf,

    /// The validators' public files, each with an optional weight behind an equals sign (1 if there is none).
    #[arg(required = true, value_name = "PUBLIC[=WEIGHT]")]
    members: Vec<String>,
}

impl MakeGenesis {
    /// Makes the file.
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let members: Result<Vec<(PublicFile, u128)>, Failure> =
            self.members.iter().map(|member| read_member(member)).collect();
        let genesis = assemble(&self.chain, members?, self.protocol.clone(), Parameters::default())?;
        save(&genesis, &self.out)?;
        let (chain, validators) = (genesis.chain_id(), genesis.members.len());
        say!("{}: chain {chain}, {}, {validators} validators", self.out.display(), genesis.protocol);
        Ok(())
    }
}

/// Makes a genesis of public keys and checks it as a validator would.
pub(crate) fn assemble(
    chain: &str,
    members: Vec<(PublicFile, u128)>,
    protocol: ProtocolName,
    parameters: Parameters,
) -> Result<Genesis, Failure> {
    let Some((first, _)) = members.first() else {
        return Err(Failure::new(Exit::Usage, "a chain needs at least one validator"));
    };
    let scheme = first.scheme;
    if let Some((other, _)) = members.iter().find(|(member, _)| member.scheme != scheme) {
        let text = format!(
            "{} signs votes with {scheme}, {} with {}; all validators of a chain use the same scheme",
            first.name, other.name, other.scheme
        );
        return Err(Failure::new(Exit::Setup, text));
    }
    let members = members.into_iter().map(|(public, weight)| public.into_member(weight));
    let genesis = Genesis { parameters, ..Genesis::new(chain, scheme, members.collect()) };
    let schedule = (protocol == *GOSIG).then(|| Schedule::starting(now()));
    let genesis = genesis.with_protocol(protocol, schedule);
    check(&genesis)?;
    Ok(genesis)
}

/// Checks every key and possession proof.
fn check(genesis: &Genesis) -> Result<(), Failure> {
    genesis.to_toml().or_fail(Exit::Setup, "cannot make the genesis")?;
    let checked = with_protocol(genesis, CheckKeys { genesis });
    checked.and_then(|checked| checked).or_fail(Exit::Setup, "cannot make the genesis")
}

struct CheckKeys<'a> {
    genesis: &'a Genesis,
}

impl ProtocolVisitor for CheckKeys<'_> {
    type Output = quorate_node::Result<()>;

    fn visit<P: Protocol>(self) -> Self::Output {
        self.genesis.committees::<P::Scheme>().map(drop)
    }
}

/// Seconds since 1970.
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// Writes the file; never over another.
pub(crate) fn save(genesis: &Genesis, path: &Path) -> Result<(), Failure> {
    let text = genesis.to_toml().or_fail(Exit::Setup, "cannot make the genesis")?;
    let doing = format!("cannot write {}", path.display());
    let mut file = OpenOptions::new().write(true).create_new(true).open(path).or_fail(Exit::Setup, &doing)?;
    file.write_all(text.as_bytes()).or_fail(Exit::Setup, doing)
}

/// A public file with the weight behind it.
pub(crate) fn read_member(argument: &str) -> Result<(PublicFile, u128), Failure> {
    // A path may contain an equals sign of its own; a weight is digits alone.
    let digits = |weight: &&str| !weight.is_empty() && weight.bytes().all(|byte| byte.is_ascii_digit());
    let split = argument.rsplit_once('=').filter(|(_, weight)| digits(weight));
    let (path, weight) = match split {
        Some((path, weight)) => {
            (path, weight.parse().or_fail(Exit::Usage, format!("{argument}: the weight is too large"))?)
        }
        None => (argument, 1),
    };
    Ok((PublicFile::load(Path::new(path))?, weight))
}
