//! Figure 8: latency from a message to the result of its verification, one message at a time.

use std::hint::black_box;
use std::time::Instant;

use quorate::dsig::{
    DsigSuite, Signature, Signer, SignerConfig, Verifier, VerifierConfig, WotsBlake3, WotsHaraka256,
};
use quorate::ed25519::Ed25519;
use quorate::machine::Time;
use quorate::scheme::Scheme;
use quorate::wire::{Decode, Encode};
use rand::SeedableRng;
use rand::rngs::StdRng;

use super::error::failed;
use super::wire;
use crate::certificates::SingleEd;
use crate::chart::{Bar, Bars, Drawing, Lines, Scale, Series};
use crate::progress::progress;
use crate::row::figure;
use crate::sampling::{median, without_preemption};
use crate::table::Table;

/// Number of signatures in a chunk: one batch of keys.
const CHUNK: usize = 128;
const MESSAGE: [u8; 8] = [7; 8];
/// Bytes of an EdDSA signature.
const EDDSA: usize = 64;

/// The distribution, and its median in parts.
pub(super) fn figure_8(quick: bool) -> Result<Vec<Table>, String> {
    let chunks = if quick { 8 } else { 80 };
    progress("dsig", format_args!("Figure 8, {} signatures of each kind", chunks * CHUNK));
    let dsig_bytes = Signature::<WotsHaraka256>::LEN;
    let mut contenders = [
        Contender::new("EdDSA", EDDSA, eddsa(), ["18.9", "below 0.1", "35.6", "54.5"]),
        Contender::new(
            WotsHaraka256::NAME,
            dsig_bytes,
            dsig::<WotsHaraka256>(true)?,
            ["0.7", "1.0", "5.1", "6.8"],
        ),
        Contender::new(
            "wots-haraka-256, wrong hint",
            dsig_bytes,
            dsig::<WotsHaraka256>(false)?,
            ["0.7", "1.0", "39.9", "41.5"],
        ),
        Contender::new(WotsBlake3::NAME, Signature::<WotsBlake3>::LEN, dsig::<WotsBlake3>(true)?, ["–"; 4]),
    ];
    let mut transit_times = TransitTimes::new(dsig_bytes);
    // Repeats preempted measurements, a limited number of times.
    for _ in 0..3 * chunks {
        let mut open: Vec<_> = contenders.iter_mut().filter(|one| one.undisturbed() < chunks).collect();
        if open.is_empty() {
            break;
        }
        for contender in &mut open {
            contender.measure_round()?;
        }
        transit_times.measure_round()?;
    }
    let [plain, eddsa, dsig] = transit_times.medians();
    let measured: Vec<Measured> = contenders
        .into_iter()
        .map(|one| {
            let transit = if one.bytes == EDDSA { eddsa } else { dsig };
            one.measured(chunks, transit)
        })
        .collect();
    Ok(vec![distribution(&measured), breakdown(&measured, plain)])
}

/// Latency of a message between threads, and the time that signatures add.
struct TransitTimes {
    sizes: [u16; 3],
    /// Without a signature, and the differences that each kind makes: of each round the median.
    taken: [Vec<f64>; 3],
}

impl TransitTimes {
    fn new(dsig_bytes: usize) -> Self {
        let sizes = [0, EDDSA, dsig_bytes].map(|bytes| (MESSAGE.len() + bytes) as u16);
        Self { sizes, taken: [vec![], vec![], vec![]] }
    }

    fn measure_round(&mut self) -> Result<(), String> {
        let mut times =
            wire::one_way_latencies(&self.sizes, CHUNK / 2)?.into_iter().map(|mut times| median(&mut times));
        let plain = times.next().unwrap_or(f64::NAN);
        // Compared with the measurement just before, so that a slower machine affects both.
        for (taken, time) in
            self.taken.iter_mut().zip([plain].into_iter().chain(times.map(|time| time - plain)))
        {
            taken.push(time);
        }
        Ok(())
    }

    fn medians(mut self) -> [f64; 3] {
        self.taken.each_mut().map(|taken| median(taken))
    }
}

/// Times of the signatures and verifications of one chunk, and whether the thread was not preempted.
type Chunk = (Vec<(f64, f64)>, bool);

struct Contender {
    name: &'static str,
    bytes: usize,
    work: Box<dyn FnMut() -> quorate::Result<Chunk>>,
    paper: [&'static str; 4],
    chunks: Vec<Chunk>,
}

/// Nanoseconds; all ascending.
struct Measured {
    name: &'static str,
    paper: [&'static str; 4],
    sign: f64,
    transit: f64,
    verify: f64,
    whole: Vec<f64>,
    disturbed: bool,
}

impl Contender {
    fn new(
        name: &'static str,
        bytes: usize,
        work: impl FnMut() -> quorate::Result<Chunk> + 'static,
        paper: [&'static str; 4],
    ) -> Self {
        Self { name, bytes, work: Box::new(work), paper, chunks: Vec::new() }
    }

    fn measure_round(&mut self) -> Result<(), String> {
        self.chunks.push((self.work)().map_err(failed)?);
        Ok(())
    }

    fn undisturbed(&self) -> usize {
        self.chunks.iter().filter(|(_, undisturbed)| *undisturbed).count()
    }

    /// Statistics of the chunks without preemption, or of all chunks if there are too few.
    fn measured(self, wanted: usize, transit: f64) -> Measured {
        let disturbed = self.undisturbed() * 4 < wanted;
        let good = self.chunks.into_iter().filter(|(_, undisturbed)| *undisturbed || disturbed);
        let pairs: Vec<(f64, f64)> = good.flat_map(|(pairs, _)| pairs).collect();
        let mut whole: Vec<f64> = pairs.iter().map(|(sign, verify)| sign + transit + verify).collect();
        whole.sort_by(f64::total_cmp);
        let (mut signs, mut verifies): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
        let (sign, verify) = (median(&mut signs), median(&mut verifies));
        Measured { name: self.name, paper: self.paper, sign, transit, verify, whole, disturbed }
    }
}

impl Measured {
    /// In microseconds.
    fn percentile(&self, percent: f64) -> f64 {
        let rank = (self.whole.len() as f64 * percent / 100.0).ceil() as usize;
        self.whole.get(rank.saturating_sub(1)).copied().unwrap_or(f64::NAN) / 1000.0
    }
}

fn eddsa() -> impl FnMut() -> quorate::Result<Chunk> {
    let single = SingleEd::new_for(MESSAGE.to_vec());
    move || {
        let (pairs, undisturbed) = without_preemption(|| {
            let signs: Vec<f64> = (0..CHUNK).map(|_| timed(|| single.sign()).1).collect();
            let pair = |sign| (sign, timed(|| single.verify()).1);
            signs.into_iter().map(pair).collect()
        });
        Ok((pairs, undisturbed))
    }
}

/// Signatures whose verifier has received the announcement or not.
fn dsig<S: DsigSuite>(hinted: bool) -> Result<impl FnMut() -> quorate::Result<Chunk>, String> {
    let mut rng = StdRng::seed_from_u64(8);
    // The clock advances with each chunk, so that no key is too old and no announcement too early.
    let config = SignerConfig { log2_batch: CHUNK.ilog2() as u8, low_water: 1, ..SignerConfig::default() };
    let identity = Ed25519::generate(&mut rng).map_err(failed)?;
    let mut signer = Signer::<S>::new(identity, vec![], config, &mut rng).map_err(failed)?;
    let alice = signer.public_key().clone();
    let new_verifier = move || {
        let mut verifier = Verifier::<S>::new(VerifierConfig::default());
        verifier.admit(alice.clone());
        verifier
    };
    let alice = signer.public_key().clone();
    let mut known = new_verifier();
    let mut now = Time(0);
    Ok(move || {
        now = Time(now.0 + 1000);
        let mut announced = None;
        while let Some(made) = signer.prepare(&mut rng, now)? {
            announced = Some(made.announcement.encode());
        }
        if let Some(announcement) = announced.filter(|_| hinted) {
            known.announce(&alice, &announcement, now)?;
        }
        // A verifier that verified one signature slowly would know the rest of the batch.
        let mut uninformed: Vec<_> = (0..if hinted { 0 } else { CHUNK }).map(|_| new_verifier()).collect();
        let (pairs, undisturbed) = without_preemption(|| {
            let signed: Vec<_> = (0..CHUNK)
                .map(|_| timed(|| signer.sign(&MESSAGE, &[], now).map(|signature| signature.encode())))
                .collect();
            let mut uninformed = uninformed.iter_mut();
            let verify = |(bytes, sign): (quorate::Result<Vec<u8>>, f64)| {
                let (bytes, verifier) = (bytes?, uninformed.next().unwrap_or(&mut known));
                let (verdict, time) = timed(|| {
                    let signature = Signature::<S>::decode(black_box(&bytes), &())?;
                    verifier.verify(&alice, &MESSAGE, &signature)
                });
                verdict.map(|()| (sign, time))
            };
            signed.into_iter().map(verify).collect::<quorate::Result<Vec<_>>>()
        });
        Ok((pairs?, undisturbed))
    })
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let began = Instant::now();
    let result = black_box(work());
    (result, began.elapsed().as_nanos() as f64)
}

fn distribution(measured: &[Measured]) -> Table {
    let title = "Figure 8, left: to sign, transmit and verify 8 bytes";
    let columns = [
        "",
        "p10, µs",
        "median, µs",
        "p90, µs",
        "p99, µs",
        "p99.9, µs",
        "median, ed",
        "the paper's median, µs",
    ];
    let mut table = Table::new("dsig-figure-8-distribution", title, &columns);
    // The first is EdDSA: its verification is the unit.
    let ed = measured.first().map_or(f64::NAN, |eddsa| eddsa.verify / 1000.0);
    for one in measured {
        let shown = [10.0, 50.0, 90.0, 99.0, 99.9].map(|percent| figure(one.percentile(percent)));
        let [.., paper] = one.paper;
        let ratio = figure(one.percentile(50.0) / ed);
        table.row([one.name.to_owned()].into_iter().chain(shown).chain([ratio, paper.to_owned()]));
    }
    let percents = || (0..=20).map(|n| (f64::from(n) * 5.0).clamp(1.0, 99.0)).chain([99.5, 99.9]);
    let line = |one: &Measured| Series::new(one.name, percents().map(|p| (one.percentile(p), p)).collect());
    let papers =
        [("EdDSA, the paper", 0, 54.5), ("DSig, the paper", 1, 6.8), ("wrong hint, the paper", 2, 41.5)];
    let papers = papers.map(|(name, like, time)| Series::dashed(name, like, vec![(time, 50.0)]));
    let series = measured.iter().map(line).chain(papers).collect();
    let lines = Lines { scale: Scale::Linear, ..Lines::new("µs", "% of signatures within", series) };
    table.drawing = Some(Drawing::Lines(lines));
    table.note(
        "Wall-clock time, in alternating chunks of 128; a chunk during which the thread was preempted is measured \
         again. The transmission time is the same for all signatures of a kind: see the right half.",
    );
    if measured.iter().any(|one| one.disturbed) {
        table.note("**Other programs ran nearly all the time and cause the high percentiles.**");
    }
    table
}

fn breakdown(measured: &[Measured], plain: f64) -> Table {
    let title = "Figure 8, right: the median in parts";
    let columns =
        ["", "sign, µs", "transmit, µs", "verify, µs", "all, µs", "the paper: sign, transmit, verify, µs"];
    let mut table = Table::new("dsig-figure-8", title, &columns);
    let parts = |one: &Measured| [one.sign, one.transit, one.verify].map(|time| time / 1000.0);
    for one in measured {
        let [sign, transit, verify, _] = one.paper;
        let paper = if sign == "–" { sign.to_owned() } else { format!("{sign}, {transit}, {verify}") };
        let ours = parts(one);
        let all = figure(ours.iter().sum());
        table.row([one.name.to_owned()].into_iter().chain(ours.map(figure)).chain([all, paper]));
    }
    let bar =
        |name: &str, values: [f64; 3]| Bar { name: name.to_owned(), values: values.to_vec(), whiskers: None };
    let ours = measured.iter().map(|one| bar(one.name, parts(one)));
    let papers = [
        bar("EdDSA, the paper", [18.9, 0.1, 35.6]),
        bar("DSig, the paper", [0.7, 1.0, 5.1]),
        bar("wrong hint, the paper", [0.7, 1.0, 39.9]),
    ];
    table.drawing = Some(Drawing::Bars(Bars {
        x: "µs".to_owned(),
        parts: ["sign", "transmit", "verify"].map(str::to_owned).to_vec(),
        bars: ours.chain(papers).collect(),
    }));
    table.note(format!(
        "Signing includes encoding, verification includes decoding. Transmission is the time that the signature \
         adds, as in the paper: half of a round trip with it minus half of one without, which takes {} µs here, \
         over TCP on loopback between two polling threads. As a difference, a value near or below 0 is noise.",
        figure(plain / 1000.0)
    ));
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_signs_and_verifies_several_chunks() {
        for hinted in [true, false] {
            let mut work = dsig::<WotsHaraka256>(hinted).unwrap();
            // More chunks than the verifier stores announcements for, or accepts at once.
            for _ in 0..20 {
                let (pairs, _) = work().unwrap();
                assert!(
                    pairs.len() == CHUNK && pairs.iter().all(|(sign, verify)| *sign > 0.0 && *verify > 0.0)
                );
            }
        }
        assert_eq!(eddsa()().unwrap().0.len(), CHUNK);
    }

    #[test]
    fn the_added_time_is_a_difference_within_a_round() {
        let mut transit_times = TransitTimes::new(1584);
        assert_eq!(transit_times.sizes, [8, 72, 1592]);
        transit_times.measure_round().unwrap();
        assert!(transit_times.taken.iter().all(|taken| taken.len() == 1));
        transit_times.taken = [vec![10.0, 90.0, 12.0], vec![1.0, -7.0, 2.0], vec![3.0, 4.0, 50.0]];
        assert_eq!(transit_times.medians(), [12.0, 1.0, 4.0]);
    }

    #[test]
    fn disturbed_chunks_count_only_if_there_are_no_others() {
        let with = |undisturbed: [bool; 4]| {
            let mut times = [1.0, 2.0, 3.0, 4.0].into_iter().zip(undisturbed);
            let work = move || {
                Ok(times
                    .next()
                    .map_or((vec![], false), |(time, undisturbed)| (vec![(time, time)], undisturbed)))
            };
            let mut contender = Contender::new("a", 64, work, ["–"; 4]);
            (0..4).for_each(|_| contender.measure_round().unwrap());
            contender.measured(4, 10.0)
        };
        let measured = with([false, true, true, false]);
        assert_eq!((measured.whole, measured.disturbed), (vec![14.0, 16.0], false));
        let measured = with([false; 4]);
        assert_eq!((measured.whole, measured.disturbed), (vec![12.0, 14.0, 16.0, 18.0], true));
    }
}
