//! Light clients: they accept exactly the blocks and commit proofs that the protocols' own types accept.

use std::fs;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use quorate::any::LightClient;
use quorate::bls::{Counted, MinSig};
use quorate::committee::{ChainId, Committee, Repeats};
use quorate::ed25519::Ed25519;
use quorate::light::{ChainProtocol, Genesis};
use quorate::scheme::Scheme;
use quorate::wire::{Decode, Reader, Writer};
use quorate_abft::chain;
use rand::SeedableRng;
use rand::rngs::StdRng;
use serde_json::Value;

/// The committees of `spec/vectors/light.json`.
struct World {
    file: Value,
    bls: Arc<Committee<MinSig>>,
    counted: Arc<Committee<Counted<MinSig>>>,
    ed25519: Arc<Committee<Ed25519>>,
    identities: Arc<Committee<Ed25519>>,
}

static WORLD: LazyLock<Option<World>> = LazyLock::new(|| {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../spec/vectors/light.json");
    let file: Value = serde_json::from_str(&fs::read_to_string(path).ok()?).ok()?;
    let committees = file.get("committees")?.clone();
    Some(World {
        file,
        bls: committee(committees.get("min-sig")?)?,
        counted: committee(committees.get("min-sig-counted")?)?,
        ed25519: committee(committees.get("ed25519")?)?,
        identities: committee(committees.get("identities")?)?,
    })
});

fn committee<S: Scheme>(definition: &Value) -> Option<Arc<Committee<S>>> {
    let member = |member: &Value| {
        let key = S::PublicKey::decode(&bytes(member, "public_key")?, &()).ok()?;
        Some((key, member.get("weight")?.as_str()?.parse().ok()?))
    };
    let members = definition.get("members")?.as_array()?.iter().map(member).collect::<Option<Vec<_>>>()?;
    let chain = ChainId(bytes(definition, "chain")?.try_into().ok()?);
    let epoch = definition.get("epoch")?.as_str()?.parse().ok()?;
    Committee::from_attested(chain, epoch, members, Repeats::Refuse).ok().map(Arc::new)
}

fn bytes(value: &Value, field: &str) -> Option<Vec<u8>> {
    let digits = value.get(field)?.as_str()?;
    let byte = |at| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
    (0..digits.len()).step_by(2).map(byte).collect()
}

/// A commit, a certificate, a transaction proof, a handover or a genesis file, as the first byte chooses; see [`seeds`].
pub(crate) fn run(input: &[u8]) {
    let (Some(world), Some((choice, rest))) = (&*WORLD, input.split_first()) else { return };
    if let Ok(text) = std::str::from_utf8(rest) {
        let _: Result<_, _> = Genesis::parse(text);
    }
    let Some(mut client) = client(world, *choice) else { return };
    let _: Result<_, _> = client.verify_certificate(rest);
    let _: Result<_, _> = client.verify_transaction(rest);
    let mut r = Reader::new(rest);
    let (Ok(block), Ok(finality)) = (r.bytes("block", 1 << 20), r.bytes("finality", 1 << 20)) else { return };
    let accepted = client.verify_commit(block, finality);
    let batch = client.verify_commits(&[(block, finality)], &mut StdRng::seed_from_u64(0));
    assert_eq!(accepted.is_ok(), batch.iter().all(Result::is_ok), "batch and single disagree");
    let digest = accepted.as_ref().ok().map(|commit| *commit.digest());
    assert_eq!(digest, reference(world, *choice, block, finality), "the protocol's types disagree");
    let epoch = client.epoch();
    if let Ok(payload) = r.bytes("payload", 1 << 20)
        && client.hand_over(block, finality, payload).is_ok()
    {
        assert!(accepted.is_ok() && client.epoch() == epoch + 1 && client.voters(epoch).is_ok());
    }
}

/// Client number `choice` of five.
fn client(world: &World, choice: u8) -> Option<LightClient> {
    let World { bls, counted, ed25519, .. } = world;
    let (protocol, voters) = match choice % 5 {
        0 => (ChainProtocol::Jolteon, bls.clone().into()),
        1 => (ChainProtocol::Jolteon, ed25519.clone().into()),
        2 => (ChainProtocol::Gosig, counted.clone().into()),
        3 => (ChainProtocol::Abft, bls.clone().into()),
        _ => (ChainProtocol::Abft, ed25519.clone().into()),
    };
    LightClient::new(protocol, voters, world.identities.clone().into()).ok()
}

/// The digest of a block that the protocol's own types accept.
fn reference(world: &World, choice: u8, block: &[u8], finality: &[u8]) -> Option<[u8; 32]> {
    match choice % 5 {
        0 => jolteon(world.bls.clone(), world, block, finality),
        1 => jolteon(world.ed25519.clone(), world, block, finality),
        2 => {
            let (voters, identities) = (world.counted.clone(), world.identities.clone());
            let committees = quorate_gosig::Committees { voters, identities };
            let block = quorate_gosig::Block::decode(block, &committees).ok()?;
            let finality = quorate_gosig::Finality::decode(finality, &committees).ok()?;
            finality.verify(&committees, &block).ok().map(|()| block.digest().0)
        }
        3 => abft(&world.bls, block, finality),
        _ => abft(&world.ed25519, block, finality),
    }
}

fn jolteon<S: Scheme>(
    voters: Arc<Committee<S>>,
    world: &World,
    block: &[u8],
    finality: &[u8],
) -> Option<[u8; 32]> {
    let committees = quorate_jolteon::Committees { voters, identities: world.identities.clone() };
    let block = quorate_jolteon::Block::decode(block, &committees).ok()?;
    let finality = quorate_jolteon::Finality::decode(finality, &committees).ok()?;
    finality.verify(&committees.voters, &block).ok()?;
    let mut authors = std::iter::once(&block).chain(finality.links.iter().map(|link| &**link));
    let signed = authors.all(|block| block.proposal(&committees).check(&committees.identities).is_ok());
    signed.then(|| block.digest().0)
}

fn abft<S: Scheme>(voters: &Arc<Committee<S>>, block: &[u8], finality: &[u8]) -> Option<[u8; 32]> {
    let block = chain::Block::decode(block, voters).ok()?;
    let finality = chain::Finality::decode(finality, voters).ok()?;
    // Heights count from 1, and no committee signs a block 0.
    finality.verify(voters, &block).ok().filter(|()| block.height > 0).map(|()| block.digest().0)
}

/// Inputs of all cases: a commit is the block, the finality and, for a handover, the payload, each with its length.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let cases = WORLD.as_ref().and_then(|world| world.file.get("cases")?.as_array());
    cases.into_iter().flatten().filter_map(seed).collect()
}

fn seed(case: &Value) -> Option<Vec<u8>> {
    let input = case.get("input")?;
    if let Some(text) = input.get("text") {
        return Some([&[0], text.as_str()?.as_bytes()].concat());
    }
    let mut w = Writer::new();
    w.u8(match (input.get("protocol")?.as_str()?, input.get("voters")?.as_str()?) {
        ("jolteon", "min-sig") => 0,
        ("jolteon", _) => 1,
        ("gosig", _) => 2,
        (_, "min-sig") => 3,
        _ => 4,
    });
    for field in ["certificate", "proof"] {
        w.raw(&bytes(input, field).unwrap_or_default());
    }
    for field in ["block", "finality", "payload"] {
        if let Some(part) = bytes(input, field) {
            w.bytes(&part);
        }
    }
    Some(w.into_bytes())
}
