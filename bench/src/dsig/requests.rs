//! Figure 12: a server that verifies requests before it processes them, with four cores and 10 Gbps, as in the paper. The
//! cost of one request is measured; the throughput of the cores and the link is computed from it.

use quorate::dsig::{Signature, Signer, SignerConfig, Verifier, VerifierConfig, WotsHaraka256};
use quorate::ed25519::Ed25519;
use quorate::machine::Time;
use quorate::scheme::Scheme;
use quorate::wire::{Decode, Encode};
use quorate::{Error, Result};
use rand::SeedableRng;
use rand::rngs::StdRng;

use super::parties::{ANNOUNCED, LINK};
use crate::certificates::SingleEd;
use crate::chart::{Drawing, Lines, Series};
use crate::progress::progress;
use crate::row::figure;
use crate::sampling::{Case, SamplePlan, medians};
use crate::table::Table;

const SIZES: [usize; 7] = [32, 128, 512, 2048, 8192, 32_768, 131_072];
const NOW: Time = Time(1);

/// Both halves.
pub(super) fn figure_12(care: SamplePlan) -> Result<Vec<Table>> {
    let mut measured = Vec::new();
    for size in SIZES {
        progress("dsig", format_args!("Figure 12, requests of {size} bytes"));
        measured.push(verification(care, size)?);
    }
    Ok(vec![
        table("dsig-figure-12-1", "Figure 12, left: requests that take 1 µs, computed", 1.0, &measured),
        table("dsig-figure-12-15", "Figure 12, right: requests that take 15 µs, computed", 15.0, &measured),
    ])
}

/// Nanoseconds of a request's verification.
struct Verification {
    size: usize,
    eddsa: f64,
    dsig: f64,
}

/// Throughput in thousand requests per second.
struct Rates {
    none: f64,
    eddsa: f64,
    dsig: f64,
    /// True if the network limits DSig.
    full: bool,
}

fn verification(care: SamplePlan, size: usize) -> Result<Verification> {
    let request = vec![12u8; size];
    let single = SingleEd::new_for(blake3::hash(&request).as_bytes().to_vec());
    let mut rng = StdRng::seed_from_u64(12);
    let config = SignerConfig { low_water: 1, ..SignerConfig::default() };
    let mut signer = Signer::<WotsHaraka256>::new(Ed25519::generate(&mut rng)?, vec![], config, &mut rng)?;
    let key = signer.public_key().clone();
    let mut verifier = Verifier::<WotsHaraka256>::new(VerifierConfig::default());
    verifier.admit(key.clone());
    while let Some(made) = signer.prepare(&mut rng, NOW)? {
        verifier.announce(&key, &made.announcement.encode(), NOW)?;
    }
    let signed: Vec<Vec<u8>> =
        (0..signer.ready()).map(|_| Ok(signer.sign(&request, &[], NOW)?.encode())).collect::<Result<_>>()?;
    let mut turn = signed.iter().cycle();
    let mut check = || {
        let signature = Signature::decode(turn.next().ok_or(Error::Exhausted)?, &())?;
        verifier.verify(&key, std::hint::black_box(&request), &signature)
    };
    check()?;
    let mut cases = [
        // Hashed with BLAKE3 first, as in the paper: Ed25519 itself hashes with SHA-512, twice for a signature.
        Case::new(|| (blake3::hash(std::hint::black_box(&request)), single.verify())),
        Case::new(|| assert!(check().is_ok())),
    ];
    let [eddsa, dsig] = medians(&mut cases, care).try_into().unwrap_or([f64::NAN; 2]);
    Ok(Verification { size, eddsa, dsig })
}

impl Verification {
    fn rates(&self, processing: f64) -> Rates {
        let size = self.size as f64;
        let cores = |cores: f64, verify: f64| cores * 1e6 / (verify + processing * 1000.0);
        let link = |bytes: f64| LINK / bytes / 1000.0;
        // One of DSig's four cores is for the background plane, which is almost idle here.
        let (dsig, carried) =
            (cores(3.0, self.dsig), link(size + Signature::<WotsHaraka256>::LEN as f64 + ANNOUNCED));
        Rates {
            none: cores(4.0, 0.0).min(link(size)),
            eddsa: cores(4.0, self.eddsa).min(link(size + 64.0)),
            dsig: dsig.min(carried),
            full: carried < dsig,
        }
    }
}

fn table(name: &'static str, title: &str, processing: f64, measured: &[Verification]) -> Table {
    let columns = [
        "request, B",
        "no signatures, k/s",
        "EdDSA, k/s",
        "DSig, k/s",
        "DSig / EdDSA",
        "DSig waits for",
        "verify: EdDSA, µs",
        "DSig, µs",
    ];
    let mut table = Table::new(name, title, &columns);
    let mut lines = ["no signatures", "EdDSA", "DSig"].map(|name| Series::new(name, vec![]));
    for one in measured {
        let Rates { none, eddsa, dsig, full } = one.rates(processing);
        let waits = if full { "the network" } else { "its processors" };
        let rates = [none, eddsa, dsig];
        let cells = [one.size.to_string()].into_iter().chain(rates.map(figure));
        let times = [one.eddsa, one.dsig].map(|nanos| figure(nanos / 1000.0));
        table.row(cells.chain([figure(dsig / eddsa), waits.to_owned()]).chain(times));
        for (line, rate) in lines.iter_mut().zip(rates) {
            line.points.push((one.size as f64, rate));
        }
    }
    let lines = Lines::new("bytes of request", "thousand requests per second", lines.into());
    table.drawing = Some(Drawing::Lines(lines));
    table.note(
        "Computed: a request takes its verification, measured here, and the time above; four cores handle \
         requests, three with DSig, whose background plane uses the fourth; 10 Gbps carry request, signature and \
         announcement. There is no network. The paper prints only these numbers:",
    );
    let lost = |rate: fn(&Rates) -> f64| {
        let at = |size| measured.iter().find(|one| one.size == size).map(|one| rate(&one.rates(processing)));
        let (small, large) = (at(512).unwrap_or(f64::NAN), at(2048).unwrap_or(f64::NAN));
        figure(100.0 * (1.0 - large / small))
    };
    if processing < 2.0 {
        table.note(format!(
            "from 512 B to 2 KiB DSig loses {} % (the paper: 22 %), EdDSA {} % (the paper: 1.9 %);",
            lost(|rates| rates.dsig),
            lost(|rates| rates.eddsa)
        ));
    }
    let ahead = measured.iter().filter(|one| {
        let rates = one.rates(processing);
        rates.dsig > 1.05 * rates.eddsa
    });
    let ahead = ahead.map(|one| one.size).max().map_or("no size".to_owned(), |size| format!("{size} B"));
    table.note(format!("DSig is ahead by 5 % or more up to {ahead} (the paper: ahead up to 8 KiB)."));
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processors_limit_short_requests_and_links_long_ones() {
        let rates = |size, dsig| Verification { size, eddsa: 39_000.0, dsig }.rates(1.0);
        let short = rates(32, 1000.0);
        assert_eq!((short.eddsa, short.none), (100.0, 4000.0));
        // Three cores would do 1,500 k/s; 1,649 bytes go 758 thousand times through 1.25 GB/s.
        assert!(short.full && (757.0..759.0).contains(&short.dsig), "{}", short.dsig);
        assert!(!rates(32, 9000.0).full);
        let long = rates(131_072, 40_000.0);
        assert!(long.full && long.none < 10.0 && long.dsig / long.none > 0.98);
    }
}
