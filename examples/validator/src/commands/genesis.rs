use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use quorate_node::genesis::{Genesis, Hex, Parameters, ProtocolName, Schedule};
use quorate_node::keys::save_shares;
use quorate_node::protocol::{DealOptions, Dealt, Protocol, ProtocolVisitor};
use quorate_support::outln;
use zeroize::Zeroizing;

use super::keygen::PublicFile;
use super::presignatures::{DEALER_FILE, DEFAULT_EPOCHS, Dealer, MAX_EPOCHS, Signatures, member_directory};
use crate::exit::{Exit, Failure, OrFail};
use crate::protocols::{ABFT, GOSIG, parameters, parse_protocol, with_protocol};

/// Create a chain's genesis file from its validators' public keys.
///
/// Every validator starts from the same file. The order of the arguments is the order of the committee. The command
/// verifies the keys and names the validator whose key is a duplicate, is related to another key, or lacks a proof of
/// possession.
#[derive(Debug, clap::Args)]
#[command(
    name = "genesis",
    after_help = "\
Example:
  quorate genesis --chain example --out genesis.toml alice/public.toml bob/public.toml \\
      carol/public.toml dave/public.toml=3
  (dave has three times the weight of each other validator)
  quorate genesis --chain example --protocol abft --shares secrets/ */public.toml
  quorate genesis --chain example --protocol abft --signatures ecdsa --shares secrets/ */public.toml
  (give secrets/alice.shares to alice alone, as `shares` in the [node] section of her configuration, and so on; then
  delete the files. With ecdsa also give and delete secrets/alice.shares.presignatures/, and so on, and move
  secrets/dealer.key and secrets/dealer.next to an offline place: they deal for further epochs)"
)]
pub(crate) struct MakeGenesis {
    /// The chain's name.
    #[arg(long)]
    chain: String,

    /// Consensus protocol: jolteon, gosig or abft.
    ///
    /// ABFT needs no clock and no timeout. Its validators share keys that this command deals: see --shares.
    ///
    /// Gosig's rounds follow a clock that starts now; [schedule] in the file sets the length of a round. It cannot be
    /// changed once the chain has started.
    #[arg(long, default_value_t, value_parser = parse_protocol)]
    protocol: ProtocolName,

    /// The file to write; it must not exist.
    #[arg(long, value_name = "FILE", default_value = "genesis.toml")]
    out: PathBuf,

    /// Directory for the validators' secret shares, one file NAME.shares each; for abft.
    ///
    /// The machine that runs this command knows all shares. f + 1 of them (2 of 4 validators) decrypt transactions before
    /// their order is fixed and predict the coin: delete the files once each validator has its own.
    #[arg(long, value_name = "DIR")]
    shares: Option<PathBuf>,

    /// Do not encrypt transactions until their order is fixed; for abft.
    ///
    /// Saves a message delay and processor time. A faulty validator can then see transactions early and delay those that
    /// it dislikes.
    #[arg(long)]
    no_encryption: bool,

    /// Signatures inside the epochs, for abft with keys of the scheme bls. [default: bls]
    ///
    /// ECDSA takes less processor time. Its presignatures are dealt in advance, for one epoch (one block) after the other, and
    /// each signs once; past them the validators sign with BLS. A validator's files of an epoch have 56 kB with 4 validators
    /// and 108 kB with 8. The directory of --shares also keeps the dealer's secret, with which `quorate presignatures` deals for
    /// further epochs: its owner can forge the signatures inside the epochs, but no votes for blocks.
    #[arg(long, value_enum)]
    signatures: Option<Signatures>,

    /// Number of epochs for which presignatures are dealt, with --signatures ecdsa. [default: 256]
    #[arg(long, value_name = "EPOCHS", value_parser = clap::value_parser!(u64).range(1..=MAX_EPOCHS))]
    presigned_epochs: Option<u64>,

    /// The validators' public files, each with an optional weight after an equals sign (default: 1).
    #[arg(required = true, value_name = "PUBLIC[=WEIGHT]")]
    members: Vec<String>,
}

impl MakeGenesis {
    /// Creates the file.
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let members: Result<Vec<(PublicFile, u128)>, Failure> =
            self.members.iter().map(|member| read_member(member)).collect();
        let has_dealer = has_dealer(&self.protocol);
        if has_dealer != self.shares.is_some() {
            let problem = if has_dealer { "needs --shares DIR" } else { "has no --shares" };
            return Err(Failure::new(Exit::Usage, format!("protocol {} {problem}", self.protocol)));
        }
        if self.no_encryption && !has_dealer {
            let text = format!("protocol {} does not encrypt; omit --no-encryption", self.protocol);
            return Err(Failure::new(Exit::Usage, text));
        }
        if self.signatures.is_some() && !has_dealer {
            let text = format!("protocol {} has no threshold signatures; omit --signatures", self.protocol);
            return Err(Failure::new(Exit::Usage, text));
        }
        let presigns = self.signatures == Some(Signatures::Ecdsa);
        if self.presigned_epochs.is_some() && !presigns {
            return Err(Failure::new(Exit::Usage, "--presigned-epochs needs --signatures ecdsa"));
        }
        let members = members?;
        // Shares of a genesis that cannot be written would be of no use.
        if has_dealer && self.out.exists() {
            let text = format!("{} exists and is not overwritten; choose another --out", self.out.display());
            return Err(Failure::new(Exit::Setup, text));
        }
        let (protocol, parameters) = (self.protocol.clone(), parameters(&self.protocol));
        let options = DealOptions { encrypts: !self.no_encryption, presigns };
        let Assembled { genesis, shares, dealer } =
            assemble(&self.chain, members, protocol, parameters, options)?;
        if let Some(directory) = &self.shares {
            save_all_shares(&genesis, &shares, directory)?;
            if presigns {
                let members = genesis.members.iter();
                let directories: Vec<PathBuf> =
                    members.map(|member| member_directory(directory, &member.name)).collect();
                let epochs = self.presigned_epochs.unwrap_or(DEFAULT_EPOCHS);
                let dealer = Dealer::create(directory, dealer)?;
                outln!("secret: {}", directory.join(DEALER_FILE).display());
                outln!("{}", dealer.deal(&genesis, 1, epochs, &directories)?);
            }
        }
        save(&genesis, &self.out)?;
        let (chain, validators) = (genesis.chain_id(), genesis.members.len());
        outln!("{}: chain {chain}, {}, {validators} validators", self.out.display(), genesis.protocol);
        Ok(())
    }
}

/// A genesis, and the secrets that were dealt for its members, in order.
pub(crate) struct Assembled {
    pub(crate) genesis: Genesis,
    /// Empty for protocols without a dealer.
    pub(crate) shares: Vec<Zeroizing<Vec<u8>>>,
    /// The dealer's own secret; empty without presignatures.
    pub(crate) dealer: Zeroizing<Vec<u8>>,
}

/// Returns true if the keys of a protocol's chains come from a dealer.
pub(crate) fn has_dealer(protocol: &ProtocolName) -> bool {
    *protocol == *ABFT
}

/// Creates a genesis from public keys, deals shared keys if the protocol has any, and verifies it as a validator does.
pub(crate) fn assemble(
    chain: &str,
    members: Vec<(PublicFile, u128)>,
    protocol: ProtocolName,
    parameters: Parameters,
    options: DealOptions,
) -> Result<Assembled, Failure> {
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
    let has_dealer = has_dealer(&protocol);
    let mut genesis = genesis.with_protocol(protocol, schedule);
    let (mut shares, mut dealer) = (Vec::new(), Zeroizing::default());
    if has_dealer {
        let deal = DealKeys { genesis: &genesis, options };
        let dealt = with_protocol(&genesis, deal).and_then(|dealt| dealt);
        let dealt = dealt.or_fail(Exit::Setup, "cannot deal the shared keys")?;
        genesis.dealt = Some(Hex(dealt.public));
        (shares, dealer) = (dealt.shares, dealt.dealer);
    }
    check(&genesis)?;
    Ok(Assembled { genesis, shares, dealer })
}

/// Writes the secrets of each member to a file that is named after it.
fn save_all_shares(
    genesis: &Genesis,
    shares: &[Zeroizing<Vec<u8>>],
    directory: &Path,
) -> Result<(), Failure> {
    fs::create_dir_all(directory).or_fail(Exit::Setup, format!("cannot create {}", directory.display()))?;
    for (member, shares) in genesis.members.iter().zip(shares) {
        let name = format!("{}.shares", member.name);
        if Path::new(&name).file_name().is_none_or(|file| file != name.as_str()) {
            let text = format!("{:?} cannot be the name of a file; rename the validator", member.name);
            return Err(Failure::new(Exit::Setup, text));
        }
        let path = directory.join(name);
        save_shares(&path, shares).or_fail(Exit::Setup, "cannot save the shares")?;
        outln!("secret: {}", path.display());
    }
    Ok(())
}

struct DealKeys<'a> {
    genesis: &'a Genesis,
    options: DealOptions,
}

impl ProtocolVisitor for DealKeys<'_> {
    type Output = quorate_node::Result<Dealt>;

    fn visit<P: Protocol>(self) -> Self::Output {
        P::deal(self.genesis, self.options)
    }
}

/// Verifies every key and its proof of possession.
fn check(genesis: &Genesis) -> Result<(), Failure> {
    genesis.to_toml().or_fail(Exit::Setup, "cannot create the genesis file")?;
    let checked = with_protocol(genesis, CheckKeys { genesis });
    checked.and_then(|checked| checked).or_fail(Exit::Setup, "cannot create the genesis file")
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

/// Writes a new file. Fails if the file exists.
pub(crate) fn save(genesis: &Genesis, path: &Path) -> Result<(), Failure> {
    let text = genesis.to_toml().or_fail(Exit::Setup, "cannot create the genesis file")?;
    let doing = format!("cannot write {}", path.display());
    let mut file = OpenOptions::new().write(true).create_new(true).open(path).or_fail(Exit::Setup, &doing)?;
    file.write_all(text.as_bytes()).or_fail(Exit::Setup, doing)
}

/// Parses a path to a public file with an optional `=WEIGHT` suffix.
pub(crate) fn read_member(argument: &str) -> Result<(PublicFile, u128), Failure> {
    // A path may contain an equals sign; a weight consists of digits only.
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
