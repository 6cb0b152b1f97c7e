//! Sortition: decoders of tickets, seeds and their proofs.

use std::num::NonZeroU16;

use quorate::bls::{Counted, MinPk, MinSig};
use quorate::scheme::Vrf;
use quorate::sortition::{Lottery, Seed, SeedProof, Ticket};
use quorate::wire::{Encode, Reader, Writer};

use crate::fixture::Fixed;
use crate::identity;
use crate::seeds::from_vectors;

const ROUND: u64 = 9;
/// Half of the seven members win.
const EXPECTED: NonZeroU16 = NonZeroU16::MIN.saturating_add(2);

/// All encodings: decoded values encode to the same bytes, and only a member's unique ticket and proof verify.
pub(crate) fn decoders(bytes: &[u8]) {
    let Some((first, rest)) = bytes.split_first() else { return };
    match first % 4 {
        0 => decode_as::<MinSig>(rest),
        1 => decode_as::<MinPk>(rest),
        2 => decode_as::<Counted<MinSig>>(rest),
        _ => decode_as::<Counted<MinPk>>(rest),
    }
}

fn decode_as<S: Fixed + Vrf>(bytes: &[u8]) {
    let (fixture, lottery) = (S::fixture(), lottery::<S>());
    if let Some(ticket) = identity::<Ticket<S>, ()>(bytes, &())
        && let Ok(verified) = ticket.verify(&lottery)
    {
        let secret = fixture.secrets.get(usize::from(verified.member()));
        let drawn = secret.and_then(|secret| lottery.draw(secret).ok()).flatten();
        assert!(drawn.is_some_and(|drawn| drawn == verified), "a forged ticket wins");
    }
    if let Some(proof) = identity::<SeedProof<S>, ()>(bytes, &())
        && lottery.seed().next(&proof, &fixture.committee).is_ok()
    {
        let secret = fixture.secrets.get(usize::from(proof.signer()));
        let made = secret.and_then(|s| SeedProof::sign(s, &fixture.committee, &lottery.seed()).ok());
        assert!(made.is_some_and(|made| made == proof), "a forged proof leads to a seed");
    }
    if let Some(seed) = identity::<Seed, ()>(bytes, &()) {
        let proof =
            fixture.secrets.first().and_then(|s| SeedProof::<S>::sign(s, &fixture.committee, &seed).ok());
        let next = proof.and_then(|proof| seed.next(&proof, &fixture.committee).ok());
        assert_eq!(next.map(|next| next.height()), seed.height().checked_add(1));
    }
    let mut r = Reader::new(bytes);
    if let Ok(ticket) = Ticket::<S>::decode_detached(&mut r, ROUND, 1) {
        let mut w = Writer::new();
        ticket.encode_detached(&mut w);
        assert_eq!(Some(w.into_bytes().as_slice()), bytes.get(..bytes.len() - r.remaining()));
    }
}

fn lottery<S: Fixed + Vrf>() -> Lottery<S> {
    let committee = S::fixture().committee.clone();
    let seed = Seed::genesis(committee.chain(), b"fuzz");
    Lottery::new(committee, seed, ROUND, EXPECTED)
}

/// Seeds of [`decoders`].
pub(crate) fn decoder_seeds() -> Vec<Vec<u8>> {
    fn seeds_for<S: Fixed + Vrf>(byte: u8, seeds: &mut Vec<Vec<u8>>) {
        let (fixture, lottery) = (S::fixture(), lottery::<S>());
        let mut found = vec![lottery.seed().encode()];
        for secret in &fixture.secrets {
            found.extend(lottery.draw(secret).ok().flatten().map(|ticket| ticket.encode()));
            found.extend(
                SeedProof::sign(secret, &fixture.committee, &lottery.seed()).ok().map(|proof| proof.encode()),
            );
        }
        // Lengths of seeds, signatures, proofs and tickets.
        let lengths = [40, 48, 51, 59, 96, 99, 107];
        found.extend(from_vectors().iter().filter(|seed| lengths.contains(&seed.len())).take(400).cloned());
        seeds.extend(found.into_iter().map(|seed| [&[byte], seed.as_slice()].concat()));
    }
    let mut seeds = Vec::new();
    seeds_for::<MinSig>(0, &mut seeds);
    seeds_for::<MinPk>(1, &mut seeds);
    seeds_for::<Counted<MinSig>>(2, &mut seeds);
    seeds_for::<Counted<MinPk>>(3, &mut seeds);
    seeds
}
