//! Measures the effect of the committee's cached keys.

use std::hint::black_box;
use std::time::{Duration, Instant};

use quorate::bls::{self, MinPk};
use quorate::committee::RawSigners;
use quorate::scheme::{Scheme, VerifiedKey};
use quorate::wire::Decode;
use serde_json::{Value, json};

use crate::client::Members;
use crate::exit::Failure;
use crate::generate::{Random, Secrets};
use crate::network::Network;
use crate::ssz::SyncCommittee;

/// Duration of the measurement of each row.
const WINDOW: Duration = Duration::from_millis(700);

/// Measure the work per committee and per signature, with and without cached keys.
#[derive(Debug, clap::Args)]
pub(crate) struct Cost {
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

struct Row {
    what: String,
    microseconds: f64,
}

impl Cost {
    pub(crate) fn run(&self) -> Result<Vec<String>, Failure> {
        let network = Network::mainnet()?;
        let random = Random(1);
        let secrets = Secrets::new(&random, 0)?;
        let committee = secrets.ssz()?;
        let members = Members::new(&network, 0, &committee)?;
        let verified: Vec<_> = secrets.members().map(VerifiedKey::<MinPk>::from_secret).collect();
        let mut rows = vec![Row {
            what: "once per committee: decode, check and sum 512 keys".into(),
            microseconds: median(|| Members::new(&network, 0, &committee).map(drop)),
        }];
        for absent in [0, 12, 51, 170] {
            let message = [absent as u8; 32];
            let missing = random.choose(u64::from(absent), 512, absent);
            let aggregate = secrets.sign(&message, &missing)?;
            let wrong = |e: quorate::Error| Failure::failed(e.to_string());
            let bits = &aggregate.sync_committee_bits;
            let set = members.committee().signer_set(RawSigners::LsbFirst(bits)).map_err(wrong)?;
            let signature = <MinPk as Scheme>::Signature::decode(&aggregate.sync_committee_signature, &());
            let signature = signature.map_err(wrong)?;
            let present: Vec<_> = set.iter().filter_map(|i| verified.get(usize::from(i)).cloned()).collect();
            let signed = present.len();
            rows.push(Row {
                what: format!("{signed} of 512 signed, cached keys (what this example does)"),
                microseconds: median(|| {
                    members.committee().verify_raw(&message, &set, &signature).map(drop).map_err(wrong)
                }),
            });
            rows.push(Row {
                what: format!("{signed} of 512 signed, {signed} decoded keys summed each time"),
                microseconds: median(|| {
                    bls::fast_aggregate_verify(&present, &message, &signature).map_err(wrong)
                }),
            });
            rows.push(Row {
                what: format!("{signed} of 512 signed, from {signed} keys as bytes each time"),
                microseconds: median(|| from_bytes(&committee, &set, &message, &signature)),
            });
        }
        Ok(if self.json { vec![object(&rows).to_string()] } else { table(&rows) })
    }
}

/// Verifies without a cache: decodes and verifies the signers' keys each time.
fn from_bytes(
    committee: &SyncCommittee,
    set: &quorate::committee::SignerSet,
    message: &[u8],
    signature: &<MinPk as Scheme>::Signature,
) -> Result<(), Failure> {
    use quorate::committee::{ChainId, Committee, Repeats};
    let wrong = |e: quorate::Error| Failure::failed(e.to_string());
    let keys = set.iter().filter_map(|i| committee.pubkeys.get(usize::from(i)));
    let decoded = keys.map(|key| Ok((<MinPk as Scheme>::PublicKey::decode(key, &())?, 1)));
    let members = decoded.collect::<quorate::Result<Vec<_>>>().map_err(wrong)?;
    let all =
        Committee::<MinPk>::from_attested(ChainId([0; 32]), 0, members, Repeats::Allow).map_err(wrong)?;
    let all_members = quorate::committee::SignerSet::new(all.len()).complement();
    all.verify_raw(message, &all_members, signature).map(drop).map_err(wrong)
}

fn median(mut work: impl FnMut() -> Result<(), Failure>) -> f64 {
    let (began, mut times) = (Instant::now(), Vec::new());
    while began.elapsed() < WINDOW || times.len() < 3 {
        let start = Instant::now();
        if black_box(work()).is_err() {
            return f64::NAN;
        }
        times.push(start.elapsed());
    }
    times.sort();
    times.get(times.len() / 2).map_or(f64::NAN, |time| time.as_secs_f64() * 1e6)
}

fn table(rows: &[Row]) -> Vec<String> {
    rows.iter().map(|row| format!("{:>10.0} µs  {}", row.microseconds, row.what)).collect()
}

fn object(rows: &[Row]) -> Value {
    let row = |row: &Row| json!({ "what": row.what, "microseconds": row.microseconds });
    json!({ "rows": rows.iter().map(row).collect::<Vec<_>>() })
}
