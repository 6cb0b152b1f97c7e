//! `ethereum-sync verify`: options and output.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use crate::beacon::{self, Bootstrap, Update};
use crate::client::{Block, Hex, LightClient, Proven};
use crate::exit::{Exit, Failure};
use crate::network::Network;
use crate::ssz::{self, SyncCommittee};
use crate::text;

/// Verify updates in order, starting from a trusted committee.
///
/// The files are responses of a beacon node under /eth/v1/beacon/light_client/: bootstrap/{root}, updates,
/// finality_update, optimistic_update. A file may hold a list. Each update is verified according to the consensus
/// specification: slots and periods, branches of the execution header, finality and next committee, participation
/// bits, and the signature. A light client applies only updates signed by two thirds.
#[derive(Debug, clap::Args)]
pub(crate) struct Verify {
    /// The updates, oldest first.
    #[arg(required = true, value_name = "UPDATE")]
    updates: Vec<PathBuf>,

    /// The bootstrap of a trusted block; needs --trusted-root.
    #[arg(long, value_name = "FILE", requires = "trusted_root", required_unless_present = "committee")]
    bootstrap: Option<PathBuf>,

    /// The root of that block, from a trusted source: 0x… or @FILE.
    #[arg(long, value_name = "ROOT", requires = "bootstrap", conflicts_with = "committee")]
    trusted_root: Option<String>,

    /// A trusted sync committee instead of a bootstrap; needs --period.
    #[arg(long, value_name = "FILE", requires = "period", conflicts_with = "bootstrap")]
    committee: Option<PathBuf>,

    /// Period of that committee: slot / 8192.
    #[arg(long, value_name = "N", requires = "committee", conflicts_with = "bootstrap")]
    period: Option<u64>,

    /// A network other than Ethereum's mainnet; networks/mainnet.json shows the form.
    #[arg(long, value_name = "FILE")]
    network: Option<PathBuf>,

    /// The current slot, if this machine's clock is unreliable.
    #[arg(long, value_name = "SLOT")]
    now: Option<u64>,

    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

impl Verify {
    /// Verifies the updates. Returns the lines to print, and the failure, if any.
    pub(crate) fn run(&self) -> Result<(Vec<String>, Option<Failure>), Failure> {
        let network = match &self.network {
            Some(path) => Network::read(path)?,
            None => Network::mainnet()?,
        };
        let now = self.now.unwrap_or_else(|| network.slot_at(seconds_since_1970()));
        let mut proven = Vec::new();
        let outcome = self.check(&network, now, &mut proven);
        let (client, failure) = match outcome {
            Ok(client) => (Some(client), weakest(&proven)),
            Err(failure) => (None, Some(failure)),
        };
        let lines = if self.json {
            vec![object(&network, &proven, client.as_ref(), failure.as_ref()).to_string()]
        } else {
            let mut lines: Vec<String> = proven.iter().map(line).collect();
            if let (Some(client), None) = (&client, &failure) {
                lines.push(format!(
                    "verified: final is slot {}, signed is slot {}",
                    client.finalized().slot,
                    client.optimistic().slot
                ));
            }
            lines
        };
        Ok((lines, failure))
    }

    fn check<'a>(
        &self,
        network: &'a Network,
        now: u64,
        proven: &mut Vec<Proven>,
    ) -> Result<LightClient<'a>, Failure> {
        let mut client = match (&self.bootstrap, &self.committee) {
            (Some(path), _) => {
                let bootstrap: Bootstrap = beacon::read_one(path, "bootstrap")?;
                let root = self.trusted_root()?;
                LightClient::from_bootstrap(network, now, root, &bootstrap)
                    .map_err(|e| e.at(path.display()))?
            }
            (None, Some(path)) => {
                let committee: SyncCommittee = beacon::read_one(path, "sync committee")?;
                LightClient::from_committee(network, now, self.period.unwrap_or_default(), &committee)
                    .map_err(|e| e.at(path.display()))?
            }
            (None, None) => return Err(Failure::input("expected a bootstrap or a committee")),
        };
        for path in &self.updates {
            for (i, update) in beacon::read_all::<Update>(path, "light-client update")?.iter().enumerate() {
                let place = place(path, i);
                proven.push(client.process(update).map_err(|e| e.at(place))?);
            }
        }
        Ok(client)
    }

    fn trusted_root(&self) -> Result<[u8; 32], Failure> {
        let given = self.trusted_root.as_deref().unwrap_or_default();
        let text = match given.strip_prefix('@') {
            None => given.to_owned(),
            Some(path) => {
                std::fs::read_to_string(path).map_err(|e| Failure::input(format!("{path}: {e}")))?
            }
        };
        text::parse(text.trim()).map_err(|e| Failure::input(format!("--trusted-root: {e}")))
    }
}

fn place(path: &Path, i: usize) -> String {
    if i == 0 { path.display().to_string() } else { format!("{}, item {i}", path.display()) }
}

/// The failure for a valid update that a light client does not apply.
fn weakest(proven: &[Proven]) -> Option<Failure> {
    let weak = proven.iter().find(|proven| !proven.supermajority)?;
    let message = format!(
        "{} of {} signed slot {}: the signatures are valid, but fewer than two thirds signed; wait for another update",
        weak.participants, weak.committee_size, weak.attested.slot
    );
    Some(Failure::with_code(Exit::Weak, "BELOW_TWO_THIRDS", message))
}

fn line(proven: &Proven) -> String {
    let block = |block: &Block| match &block.execution {
        Some((number, hash)) => format!("slot {} (block {number}, {})", block.slot, short(hash)),
        None => format!("slot {} ({})", block.slot, short(&block.root)),
    };
    let mut text = format!(
        "{}: {} of {} signed {}",
        proven.kind,
        proven.participants,
        proven.committee_size,
        block(&proven.attested)
    );
    if let Some(finalized) = &proven.finalized {
        text += &format!("; final: {}", block(finalized));
    }
    if let Some(period) = proven.next_committee_of {
        text += &format!("; contains the committee of period {period}");
    }
    text
}

fn short(hash: &Hex) -> String {
    let text = hex::encode(hash.0);
    format!("0x{}…", text.get(..8).unwrap_or_default())
}

fn object(
    network: &Network,
    proven: &[Proven],
    client: Option<&LightClient<'_>>,
    failure: Option<&Failure>,
) -> Value {
    let header =
        |header: &ssz::BeaconBlockHeader| json!({ "slot": header.slot, "root": Hex(ssz::root(header)) });
    json!({
        "network": network.name,
        "updates": proven,
        "finalized": client.map(|client| header(client.finalized())),
        "optimistic": client.map(|client| header(client.optimistic())),
        "error": failure.map(|failure| json!({ "code": failure.code, "message": failure.message })),
    })
}

fn seconds_since_1970() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}
