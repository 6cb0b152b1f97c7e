use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

use quorate::bls::MinSig;
use quorate::ed25519::Ed25519;
use quorate_node::genesis::{Genesis, Member, Parameters, SchemeName};
use quorate_terminal::say;

use super::keygen::PublicFile;
use crate::exit::{Exit, Failure, OrFail};

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
            self.members.iter().map(|member| read(member)).collect();
        let genesis = assemble(&self.chain, members?, Parameters::default())?;
        save(&genesis, &self.out)?;
        say!("{}: chain {}, {} validators", self.out.display(), genesis.chain_id(), genesis.members.len());
        Ok(())
    }
}

/// Makes a genesis of public keys and checks it as a validator would.
pub(crate) fn assemble(
    chain: &str,
    members: Vec<(PublicFile, u128)>,
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
    let members = members.into_iter().map(|(public, weight)| Member {
        keys: public.keys(),
        name: public.name,
        address: public.address,
        weight,
    });
    let genesis =
        Genesis { chain: chain.to_owned(), scheme, epoch: 0, parameters, members: members.collect() };
    check(&genesis)?;
    Ok(genesis)
}

/// Checks every key and possession proof.
fn check(genesis: &Genesis) -> Result<(), Failure> {
    genesis.to_toml().or_fail(Exit::Setup, "cannot make the genesis")?;
    let checked = match genesis.scheme {
        SchemeName::Bls => genesis.committees::<MinSig>().map(drop),
        SchemeName::Ed25519 => genesis.committees::<Ed25519>().map(drop),
    };
    checked.or_fail(Exit::Setup, "cannot make the genesis")
}

/// Writes the file; never over another.
pub(crate) fn save(genesis: &Genesis, path: &Path) -> Result<(), Failure> {
    let text = genesis.to_toml().or_fail(Exit::Setup, "cannot make the genesis")?;
    let doing = format!("cannot write {}", path.display());
    let mut file = OpenOptions::new().write(true).create_new(true).open(path).or_fail(Exit::Setup, &doing)?;
    file.write_all(text.as_bytes()).or_fail(Exit::Setup, doing)
}

fn read(argument: &str) -> Result<(PublicFile, u128), Failure> {
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
