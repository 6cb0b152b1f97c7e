use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::pin::Pin;

use quorate::Error;
use quorate::ed25519::Ed25519;
use quorate::guard::{ExternalKey, JournaledGuard};
use quorate::scheme::Scheme;
use quorate_node::NodeError;
use quorate_node::genesis::{Genesis, SchemeName};
use quorate_node::keys::NodeKeys;
use quorate_node::protocol::{Protocol, ProtocolVisitor};
use quorate_node::signer::{SignerAddress, SigningService};
use quorate_support::outln;
use tokio::net::TcpListener;

use super::run::{cannot_run, stop_signal};
use super::token::TokenArgs;
use crate::exit::{Exit, Failure};
use crate::log_format::LogFormat;
use crate::protocols::with_protocol;

/// Hold the voting key of one validator, and sign for it.
///
/// The signer keeps the key and the journal of its signatures on another machine than the validator. It signs nothing that
/// contradicts an earlier signature, whatever the validator asks, and only for the validator whose member has its voting key.
/// It prints the line for `[node]` in the validator's configuration. Jolteon only.
///
/// With --pkcs11 the voting key is in a token, which it never leaves; the journal decides before the token is asked. If the token
/// fails or is removed, the signer ends with exit code 1.
///
/// Logs to standard error. SIGINT and SIGTERM stop it cleanly; killing it at any time is also safe.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  quorate keygen --name alice --address 203.0.113.7:7100 --out signer/                             (on the signer's machine)
  quorate keygen --name alice --address 203.0.113.7:7100 --out alice/ --signer signer/public.toml  (on the validator's)
  quorate signer --genesis genesis.toml --keys signer/keys --data signer/data --listen 10.0.0.2:7400 --new-signer
  quorate signer --genesis genesis.toml --keys signer/keys --data signer/data --listen 10.0.0.2:7400   (all later starts)
  quorate signer --genesis genesis.toml --keys signer/keys --data signer/data --listen 10.0.0.2:7400 \\
      --pkcs11 /usr/lib/softhsm/libsofthsm2.so --token quorate --key alice --pin-file signer/pin")]
pub(crate) struct RunSigner {
    /// The chain's genesis file, the same as the validator's.
    #[arg(long, value_name = "FILE")]
    genesis: PathBuf,

    /// The signer's key file: the voting key of the validator, and the identity key of the signer. With --pkcs11 only the
    /// identity key is used.
    #[arg(long, value_name = "FILE")]
    keys: PathBuf,

    /// File with the password of the keys, if they are encrypted; without it the variable QUORATE_KEY_PASSWORD, or the
    /// terminal.
    #[arg(long, value_name = "FILE")]
    password_file: Option<PathBuf>,

    #[command(flatten)]
    token: Option<TokenArgs>,

    /// Directory with the journal of signatures. Never replace it by an older copy.
    #[arg(long, value_name = "DIR")]
    data: PathBuf,

    /// Address that accepts the validator, on a network that only the two of them use.
    #[arg(long, value_name = "IP:PORT", default_value = "127.0.0.1:7400")]
    listen: SocketAddr,

    /// Allow the first start of a key that has never signed on this chain, whose data directory is empty.
    ///
    /// Without it, a missing journal ends the signer with exit code 3. Never keep it in a unit file.
    #[arg(long)]
    new_signer: bool,

    /// Start after the journal was lost or damaged, or with a key that has voted elsewhere: sign nothing up to this view.
    ///
    /// Choose a view that the key cannot have reached, such as the present one of the chain and a margin of an hour. Stop
    /// everything else that has the key first. Use it once.
    #[arg(long, value_name = "VIEW", conflicts_with = "new_signer")]
    recover_above: Option<u64>,

    /// Log level: error, warn, info, debug, trace, or a filter with levels by module.
    #[arg(long, value_name = "FILTER", default_value = "info")]
    log_level: String,

    /// Format of the log: text, or a JSON object per line. A warning or an error has a stable `code` in both.
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = LogFormat::Text)]
    log_format: LogFormat,
}

impl RunSigner {
    /// Signs until it receives a signal.
    pub(crate) async fn run(self) -> Result<(), Failure> {
        let format = self.log_format;
        format.start(&self.log_level)?;
        // Before signals are awaited: they end a prompt for the PIN.
        let genesis = Genesis::load(&self.genesis).map_err(|e| format.report(cannot_run(e)))?;
        let opened = OpenSigner { command: &self, genesis: &genesis };
        let signing = with_protocol(&genesis, opened).map_err(|e| format.report(cannot_run(e)))?;
        let ended = tokio::select! {
            failure = signing => failure,
            () = stop_signal() => {
                tracing::info!("stopping: received a signal");
                Ok(())
            }
        };
        ended.map_err(|failure| format.report(failure))
    }

    /// Opens the voting key, in the token if there is one.
    fn voting_key<S: Scheme>(&self, keys: &NodeKeys) -> Result<VotingKey<S>, NodeError> {
        let Some(token) = &self.token else { return Ok(VotingKey::Secret(keys.voting::<S>()?)) };
        let wrong_scheme = || NodeError::Genesis {
            path: Some(self.genesis.clone()),
            problem: format!(
                "scheme of the voting keys: a token signs with ed25519, and the chain with {}; start without --pkcs11",
                S::NAME
            ),
        };
        // Before the PIN is asked for.
        if SchemeName::for_scheme::<S>() != Some(SchemeName::Ed25519) {
            return Err(wrong_scheme());
        }
        token.open(false)?.into_external::<S>().map(VotingKey::External).ok_or_else(wrong_scheme)
    }

    fn open_journal<S: Scheme>(
        &self,
        key: VotingKey<S>,
        genesis: &Genesis,
    ) -> Result<JournaledGuard<S>, Failure> {
        let (data, chain) = (self.data.as_path(), genesis.chain_id());
        let opened = match (key, self.recover_above) {
            (VotingKey::Secret(secret), Some(view)) => JournaledGuard::recover(data, secret, chain, view),
            (VotingKey::Secret(secret), None) if self.new_signer => {
                JournaledGuard::create(data, secret, chain)
            }
            (VotingKey::Secret(secret), None) => JournaledGuard::open(data, secret, chain),
            (VotingKey::External(key), Some(view)) => {
                JournaledGuard::recover_external(data, key, chain, view)
            }
            (VotingKey::External(key), None) if self.new_signer => {
                JournaledGuard::create_external(data, key, chain)
            }
            (VotingKey::External(key), None) => JournaledGuard::open_external(data, key, chain),
        };
        opened.map_err(|error| journal_failure(data, &error))
    }
}

/// The voting key of the validator.
enum VotingKey<S: Scheme> {
    Secret(S::SecretKey),
    External(Box<dyn ExternalKey<S>>),
}

impl<S: Scheme> VotingKey<S> {
    fn public(&self) -> S::PublicKey {
        match self {
            VotingKey::Secret(secret) => S::public_key(secret),
            VotingKey::External(key) => key.public_key().clone(),
        }
    }
}

/// Opens the keys and the journal with the scheme of the chain, and serves.
struct OpenSigner<'a> {
    command: &'a RunSigner,
    genesis: &'a Genesis,
}

impl<'a> ProtocolVisitor for OpenSigner<'a> {
    type Output = Pin<Box<dyn Future<Output = Result<(), Failure>> + 'a>>;

    fn visit<P: Protocol>(self) -> Self::Output {
        Box::pin(self.serve::<P>())
    }
}

impl OpenSigner<'_> {
    async fn serve<P: Protocol>(self) -> Result<(), Failure> {
        let Self { command, genesis } = self;
        if !P::HAS_SIGNER {
            let problem = format!("a validator of a chain that runs {} cannot use a signer", P::NAME);
            return Err(Failure::new(Exit::Setup, problem));
        }
        let keys = NodeKeys::load(&command.keys, command.password_file.as_deref()).map_err(cannot_run)?;
        let committees = genesis.committees::<P::Scheme>().map_err(cannot_run)?;
        let voting = command.voting_key::<P::Scheme>(&keys).map_err(cannot_run)?;
        let me = committees.voters.position(&voting.public());
        let validator = me.and_then(|me| committees.identities.key(me)).ok_or_else(|| {
            let problem = "the voting key belongs to no member of the chain; make the validator's keys with `quorate keygen \
                           --signer`, before the genesis file; of a token, name the key whose public key is in that file";
            Failure::new(Exit::Setup, problem)
        })?;
        let bind_failed =
            |source| cannot_run(NodeError::Bind { address: command.listen.to_string(), source });
        // Before the journal exists: a first start that fails here can be repeated.
        let listener = TcpListener::bind(command.listen).await.map_err(bind_failed)?;
        let address = listener.local_addr().map_err(bind_failed)?;
        let guard = command.open_journal::<P::Scheme>(voting, genesis)?;
        let identity = keys.identity().map_err(cannot_run)?;
        let public = Ed25519::public_key(&identity);
        let service = SigningService::new(guard, committees.voters.clone(), identity, validator);
        let service = service.map_err(cannot_run)?;
        outln!("signer = \"{}\"", SignerAddress { identity: public, address });
        tracing::info!(%address, "ready to sign");
        let error = service.run(listener).await;
        Err(match error {
            // The token failed after the start. A later start may find it again.
            Error::KeyFailed { .. } => Failure::with_code(Exit::Failed, error.code(), error.to_string()),
            error => journal_failure(&command.data, &error),
        })
    }
}

/// A journal that cannot be opened is a matter of the setup, except for a failing disk.
fn journal_failure(data: &Path, error: &Error) -> Failure {
    let (exit, remedy) = match error {
        Error::JournalFailed { .. } => (Exit::Failed, ""),
        Error::JournalMissing { .. } | Error::JournalDamaged { .. } => {
            (Exit::Setup, "; --new-signer creates a journal, and --recover-above recovers one")
        }
        _ => (Exit::Setup, ""),
    };
    Failure::with_code(exit, error.code(), format!("the journal in {}: {error}{remedy}", data.display()))
}
