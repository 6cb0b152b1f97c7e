//! Presignatures for the epochs of a chain whose validators sign with threshold ECDSA.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::Write;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use quorate_node::genesis::Genesis;
use quorate_node::keys::{load_shares, save_shares};
use quorate_node::protocol::{Protocol, ProtocolVisitor, presignature_directory, presignature_file};
use quorate_node::store::files::replace;
use quorate_support::outln;
use zeroize::Zeroizing;

use crate::exit::{Exit, Failure, OrFail};
use crate::protocols::with_protocol;

/// File name of the dealer's secret.
pub(crate) const DEALER_FILE: &str = "dealer.key";
/// File name of the number of the next epoch to be dealt.
const NEXT_FILE: &str = "dealer.next";
/// File name of the lock of a dealer's directory.
const LOCK_FILE: &str = "dealer.lock";
/// Default number of epochs.
pub(crate) const DEFAULT_EPOCHS: u64 = 256;
/// Maximum number of epochs that are dealt at once.
pub(crate) const MAX_EPOCHS: u64 = 1 << 16;

/// Signatures inside the epochs of a chain that runs ABFT with BLS keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Signatures {
    /// BLS threshold signatures.
    Bls,
    /// Threshold ECDSA with presignatures, and BLS past them.
    Ecdsa,
}

/// Deal presignatures for further epochs of a chain, with the secret that `quorate genesis --signatures ecdsa` left.
///
/// An epoch decides one block. Validators take new files up while they run: copy the files of DIR/NAME.shares.presignatures into
/// the directory of that name beside the validator's shares. Nothing breaks if some validators have them and others do not:
/// those without sign with BLS, and the chain is slower where fewer than a quorum has them.
///
/// No epoch is ever dealt twice: the number of the next one is kept beside the secret. The machine that runs this command knows
/// the key of the signatures.
#[derive(Debug, clap::Args)]
#[command(
    name = "presignatures",
    after_help = "\
Example:
  quorate presignatures --dealer secrets/ --genesis genesis.toml --from 5000 --epochs 512 --out more/
  (give more/alice.shares.presignatures/* to alice, and so on)"
)]
pub(crate) struct DealPresignatures {
    /// The directory with the dealer's secret: that of `quorate genesis --shares`.
    #[arg(long, value_name = "DIR")]
    dealer: PathBuf,

    /// The chain's genesis file.
    #[arg(long, value_name = "FILE", default_value = "genesis.toml")]
    genesis: PathBuf,

    /// Number of epochs, each with one block.
    #[arg(long, default_value_t = DEFAULT_EPOCHS, value_parser = clap::value_parser!(u64).range(1..=MAX_EPOCHS))]
    epochs: u64,

    /// The first epoch: above the height of the chain, because earlier epochs are over. [default: the first one that was never
    /// dealt]
    #[arg(long, value_name = "EPOCH")]
    from: Option<u64>,

    /// Directory for the files, one subdirectory for each validator.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

impl DealPresignatures {
    /// Creates the files.
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let genesis = Genesis::load(&self.genesis).or_fail(Exit::Setup, "cannot read the genesis file")?;
        let dealer = Dealer::load(&self.dealer)?;
        let from = self.from.unwrap_or(dealer.next);
        if from < dealer.next {
            let text = format!(
                "--from {from}: epochs up to {} were dealt, and none is dealt twice; choose {} or more",
                dealer.next.saturating_sub(1),
                dealer.next
            );
            return Err(Failure::new(Exit::Usage, text));
        }
        let directories: Vec<PathBuf> =
            genesis.members.iter().map(|member| member_directory(&self.out, &member.name)).collect();
        outln!("{}", dealer.deal(&genesis, from, self.epochs, &directories)?);
        Ok(())
    }
}

/// Returns the directory for a validator's presignatures.
pub(crate) fn member_directory(out: &Path, name: &str) -> PathBuf {
    presignature_directory(&out.join(format!("{name}.shares")))
}

/// The dealer's secret, and the next epoch to be dealt.
pub(crate) struct Dealer {
    directory: PathBuf,
    secret: Zeroizing<Vec<u8>>,
    next: u64,
    /// Held until the dealer is dropped: two processes would deal the same epochs.
    _lock: File,
}

/// Locks a dealer's directory for this process.
fn lock(directory: &Path) -> Result<File, Failure> {
    let path = directory.join(LOCK_FILE);
    let doing = format!("cannot lock {}", path.display());
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(&path);
    let file = file.or_fail(Exit::Setup, &doing)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => {
            Err(Failure::new(Exit::Setup, format!("{doing}: another process deals with this secret")))
        }
        Err(TryLockError::Error(error)) => Err(Failure::new(Exit::Setup, format!("{doing}: {error}"))),
    }
}

impl Dealer {
    /// Writes a new dealer's secret.
    pub(crate) fn create(directory: &Path, secret: Zeroizing<Vec<u8>>) -> Result<Self, Failure> {
        let path = directory.join(DEALER_FILE);
        let lock = lock(directory)?;
        save_shares(&path, &secret).or_fail(Exit::Setup, "cannot save the dealer's secret")?;
        let dealer = Self { directory: directory.to_owned(), secret, next: 1, _lock: lock };
        dealer.save_next(1)?;
        Ok(dealer)
    }

    fn load(directory: &Path) -> Result<Self, Failure> {
        let lock = lock(directory)?;
        let secret = load_shares(&directory.join(DEALER_FILE))
            .or_fail(Exit::Setup, "cannot read the dealer's secret")?;
        let path = directory.join(NEXT_FILE);
        let doing = format!("cannot read {}", path.display());
        let text = fs::read_to_string(&path).or_fail(Exit::Setup, &doing)?;
        let next = text.trim().parse().or_fail(Exit::Setup, doing)?;
        Ok(Self { directory: directory.to_owned(), secret, next, _lock: lock })
    }

    fn save_next(&self, next: u64) -> Result<(), Failure> {
        let path = self.directory.join(NEXT_FILE);
        replace(&path, |file| writeln!(file, "{next}")).or_fail(Exit::Setup, "cannot save the dealer's state")
    }

    /// Deals epochs to the validators' directories, in their order, and returns a line about them. The epochs count as dealt
    /// before the first file is written.
    pub(crate) fn deal(
        &self,
        genesis: &Genesis,
        from: u64,
        epochs: u64,
        directories: &[PathBuf],
    ) -> Result<String, Failure> {
        let Some(last) = from.checked_add(epochs - 1).filter(|last| *last < u64::MAX) else {
            return Err(Failure::new(Exit::Usage, "there are no epochs with such numbers"));
        };
        self.save_next(last + 1)?;
        for directory in directories {
            fs::create_dir_all(directory)
                .or_fail(Exit::Setup, format!("cannot create {}", directory.display()))?;
        }
        let bytes = self.deal_in_parallel(genesis, from..=last, directories)?;
        let megabytes = bytes as f64 / 1e6;
        Ok(format!("presignatures: epochs {from} to {last}, {megabytes:.1} MB for each validator"))
    }

    /// Returns the number of bytes for each validator.
    fn deal_in_parallel(
        &self,
        genesis: &Genesis,
        epochs: RangeInclusive<u64>,
        directories: &[PathBuf],
    ) -> Result<u64, Failure> {
        let (epochs, failure, bytes) = (Mutex::new(epochs), Mutex::new(None), AtomicU64::new(0));
        let work = || {
            while let Some(epoch) = epochs.lock().ok().and_then(|mut epochs| epochs.next()) {
                match self.deal_epoch(genesis, epoch, directories) {
                    Ok(len) => drop(bytes.fetch_add(len, Ordering::Relaxed)),
                    Err(problem) => {
                        if let Ok(mut failure) = failure.lock() {
                            failure.get_or_insert(problem);
                        }
                        break;
                    }
                }
            }
        };
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
        match failure.into_inner().ok().flatten() {
            Some(failure) => Err(failure),
            None => Ok(bytes.into_inner()),
        }
    }

    fn deal_epoch(&self, genesis: &Genesis, epoch: u64, directories: &[PathBuf]) -> Result<u64, Failure> {
        let deal = DealEpoch { genesis, dealer: &self.secret, epoch };
        let files = with_protocol(genesis, deal).and_then(|dealt| dealt);
        let files = files.or_fail(Exit::Setup, "cannot deal presignatures")?;
        for (file, directory) in files.iter().zip(directories) {
            let path = directory.join(presignature_file(epoch));
            let written = OpenOptions::new().write(true).create_new(true).open(&path);
            written
                .and_then(|mut to| to.write_all(file))
                .or_fail(Exit::Setup, format!("cannot write {}", path.display()))?;
        }
        Ok(files.first().map_or(0, |file| file.len() as u64))
    }
}

struct DealEpoch<'a> {
    genesis: &'a Genesis,
    dealer: &'a [u8],
    epoch: u64,
}

impl ProtocolVisitor for DealEpoch<'_> {
    type Output = quorate_node::Result<Vec<Vec<u8>>>;

    fn visit<P: Protocol>(self) -> Self::Output {
        P::deal_presignatures(self.genesis, self.dealer, self.epoch)
    }
}
