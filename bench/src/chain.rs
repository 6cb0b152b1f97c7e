//! The rows about exported chains: the blocks of a Jolteon chain with their commit proofs, verified as `quorate verify` does.

use std::sync::Arc;

use quorate::bls::MinSig;
use quorate::certificate::{Certificate, Suspects, Vote, VoteCollector};
use quorate::ed25519::Ed25519;
use quorate::light::{self, ChainProtocol, LightClient};
use quorate::scheme::Scheme;
use quorate::wire::Encode;
use quorate::{Error, Result};
use quorate_jolteon::{
    BLOCK, Batch, BatchRef, Block, BlockContent, BlockDigest, Committees, Executed, Finality, availability,
};
use quorate_protocol::testing::{certify, committee, secret};
use rand::SeedableRng;
use rand::rngs::StdRng;

use crate::row::Row;
use crate::sampling::{Case, SamplePlan, medians};

/// Number of blocks that `quorate verify` verifies together.
const BLOCKS: u64 = 256;
/// Number of batches in a block.
const BATCHES: u16 = 4;

/// Measures all rows.
pub(crate) fn measure(quick: bool) -> Result<Vec<Row>> {
    let care = SamplePlan::new(quick);
    [(4, true), (100, false)].into_iter().map(|(n, has_target)| verification(n, has_target, care)).collect()
}

/// Verifies the blocks of a chain of `n` members together, compared with one by one.
fn verification(n: u16, has_target: bool, care: SamplePlan) -> Result<Row> {
    let committees = Committees { voters: committee("bench", n), identities: committee("bench", n) };
    let exported = exported(&committees)?;
    let all: Vec<(&[u8], &[u8])> = exported.iter().map(|(block, proof)| (&**block, &**proof)).collect();
    let trusted = light::Committees::new(committees.voters.clone(), committees.identities.clone())?;
    let client = LightClient::<MinSig>::new(ChainProtocol::Jolteon, trusted);
    let mut rng = StdRng::seed_from_u64(1);
    client.verify_commits(&all, &mut rng).into_iter().collect::<Result<Vec<_>>>()?;
    let mut next = all.iter().cycle();
    let mut cases = [
        Case::new(|| next.next().map(|(block, proof)| client.verify_commit(block, proof).is_ok())),
        Case::new(|| client.verify_commits(&all, &mut rng)),
    ];
    let times = medians(&mut cases, care);
    let &[single, together] = times.as_slice() else { return Err(Error::Malformed { what: "samples" }) };
    let each = together / BLOCKS as f64;
    let name = format!("{BLOCKS} blocks of an exported Jolteon chain together / singly, n = {n}, BLS MinSig");
    let row = Row::new(name, single / each, "× faster").note(format!(
        "{:.1} µs each, {:.1} µs singly",
        each / 1e3,
        single / 1e3
    ));
    Ok(if has_target { row.at_least(3.0) } else { row })
}

/// A chain of [`BLOCKS`] blocks, each with its commit proof.
fn exported(committees: &Committees<MinSig>) -> Result<Vec<(Vec<u8>, Vec<u8>)>> {
    let payload = payload(committees)?;
    let mut chain: Vec<Arc<Block<MinSig>>> = Vec::new();
    let mut parent = (committees.genesis(&[0; 32]), None);
    for view in 1..=BLOCKS + 1 {
        let (digest, justify) = parent;
        let block = block(committees, view, digest, justify, payload.clone());
        let certificate = certificate(committees, view, block.digest())?;
        parent = (block.digest(), Some(certificate));
        chain.push(Arc::new(block));
    }
    let mut exported = Vec::new();
    let later = chain.iter().skip(2).map(|block| block.justify.clone()).chain([parent.1]);
    for (pair, certificate) in chain.windows(2).zip(later) {
        let ([block, link], Some(certificate)) = (pair, certificate) else { continue };
        let finality = Finality { links: vec![link.clone()], certificate };
        exported.push((block.encode(), finality.encode()));
    }
    Ok(exported)
}

fn block(
    committees: &Committees<MinSig>,
    view: u64,
    parent: BlockDigest,
    justify: Option<Certificate<MinSig>>,
    payload: Vec<BatchRef>,
) -> Block<MinSig> {
    let author = (view % u64::from(committees.voters.len())) as u16;
    let executed = Executed { height: view.saturating_sub(3), state_root: [1; 32] };
    let content = BlockContent {
        epoch: committees.voters.epoch(),
        view,
        height: view,
        author,
        parent,
        justify,
        tc: None,
        payload,
        executed,
        timestamp: view,
    };
    let statement = committees.proposal(view, content.digest());
    let bytes = statement.signed_bytes(&committees.identities.id());
    Block::new(content, Ed25519::sign(&secret::<Ed25519>(author), &bytes))
}

/// A certificate of a quorum that begins with another member in each view: the first votes to arrive.
fn certificate(
    committees: &Committees<MinSig>,
    view: u64,
    digest: BlockDigest,
) -> Result<Certificate<MinSig>> {
    let voters = &committees.voters;
    let mut collector = VoteCollector::new(voters.clone(), BLOCK, view);
    let mut suspects = Suspects::new();
    for offset in 0..u64::from(voters.len()) {
        let member = ((view + offset) % u64::from(voters.len())) as u16;
        let vote = Vote::sign_unguarded(&secret::<MinSig>(member), voters, committees.ballot(view, digest))?;
        if let Some(certificate) = collector.add(vote, &mut suspects).certificate {
            return Ok(certificate.into_inner());
        }
    }
    Err(Error::BelowQuorum { signed: 0, needed: voters.quorum_weight() })
}

fn payload(committees: &Committees<MinSig>) -> Result<Vec<BatchRef>> {
    let reference = |author| {
        let batch = Batch::new(author, 1, [b"transaction"])?;
        let statement = availability(batch.header().slot, &committees.identities, batch.digest());
        Ok(BatchRef { header: *batch.header(), certificate: certify(&committees.identities, statement) })
    };
    (0..BATCHES).map(reference).collect()
}
