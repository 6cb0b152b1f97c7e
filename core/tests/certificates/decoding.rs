//! Decoding of untrusted bytes, for every type that decodes.

use quorate::certificate::{
    Certificate, Conflict, Equivocation, Statement, TimeoutCertificate, TimeoutCollector, TimeoutVote, Vote,
};
use quorate::certificate::{Kind, Suspects};
use quorate::committee::{ChainId, Committee, CommitteeId, Repeats};
use quorate::guard::{Guard, GuardRecord};
use quorate::merkle::{Merkle, Path};
use quorate::scheme::UnverifiedKey;
use quorate::wire::{Decode, Encode, Reader, Writer, domain};

use crate::harness::{Spoil, TIMEOUT, VIEW, World};

/// Checks that prefixes and extensions are rejected, and that a flipped bit is rejected or decodes to a value that encodes
/// to the same bytes.
fn attack<T: Encode>(name: &str, bytes: &[u8], decode: impl Fn(&[u8]) -> quorate::Result<T>) {
    assert_eq!(decode(bytes).unwrap_or_else(|e| panic!("{name}: {e}")).encode(), bytes, "{name}");
    for len in 0..bytes.len() {
        assert!(decode(&bytes[..len]).is_err(), "{name}: decodes from {len} bytes");
    }
    for extra in [0, 1, 0xff] {
        assert!(decode(&[bytes, &[extra]].concat()).is_err(), "{name}: decodes with a byte more");
    }
    for bit in 0..8 * bytes.len() {
        let mut flipped = bytes.to_vec();
        flipped[bit / 8] ^= 1 << (bit % 8);
        if let Ok(other) = decode(&flipped) {
            assert_eq!(other.encode(), flipped, "{name}: bit {bit} decodes to something else");
        }
    }
}

/// A vote in its link form, wrapped so that `attack` can encode it.
struct Link<T>(T, fn(&T, &mut Writer));

impl<T> Encode for Link<T> {
    fn encode_to(&self, w: &mut Writer) {
        self.1(&self.0, w);
    }
}

fn link<T>(
    bytes: &[u8],
    decode: fn(&mut Reader<'_>) -> quorate::Result<T>,
    encode: fn(&T, &mut Writer),
) -> quorate::Result<Link<T>> {
    let mut r = Reader::new(bytes);
    let value = decode(&mut r)?;
    r.finish()?;
    Ok(Link(value, encode))
}

pub(crate) fn prefixes_extensions_and_bit_flips_never_decode_differently<S: Spoil>() {
    let world = World::<S>::new(10);
    let committee = &*world.committee;
    let vote = world.vote(3, 1);
    attack("vote", &vote.encode(), |b| Vote::<S>::decode(b, &()));
    let mut w = Writer::new();
    vote.encode_link(&mut w);
    attack("vote on a link", &w.into_bytes(), |b| link(b, Vote::<S>::decode_link, Vote::encode_link));
    let timeout = world.timeout(3, 9);
    attack("timeout", &timeout.encode(), |b| TimeoutVote::<S>::decode(b, &()));
    let mut w = Writer::new();
    timeout.encode_link(&mut w);
    attack("timeout on a link", &w.into_bytes(), |b| {
        link(b, TimeoutVote::<S>::decode_link, TimeoutVote::encode_link)
    });
    attack("statement", &vote.statement().encode(), |b| Statement::decode(b, &()));
    attack("committee id", &committee.id().encode(), |b| CommitteeId::decode(b, &()));
    let key = UnverifiedKey::<S>::prove(&world.secrets[0]);
    attack("key", &key.encode(), |b| UnverifiedKey::<S>::decode(b, &()));

    let (one, two) = (world.certificate(0..7, 1).into_inner(), world.certificate(3..10, 2).into_inner());
    attack("certificate", &one.encode(), |b| Certificate::<S>::decode(b, committee));
    let conflict = Conflict::new(one, two).unwrap();
    attack("conflict", &conflict.encode(), |b| Conflict::<S>::decode(b, committee));
    let equivocation = Equivocation::new(world.vote(3, 2), vote).unwrap();
    attack("equivocation", &equivocation.encode(), |b| Equivocation::<S>::decode(b, &()));

    let mut collector = TimeoutCollector::new(world.committee.clone(), TIMEOUT, VIEW);
    let mut suspects = Suspects::new();
    let made =
        (0..7).find_map(|i| collector.add(world.timeout(i, u64::from(i % 3)), &mut suspects).certificate);
    attack("timeout certificate", &made.unwrap().encode(), |b| TimeoutCertificate::<S>::decode(b, committee));

    let secret = S::secret_from_bytes(S::secret_to_bytes(&world.secrets[0]).as_ref()).unwrap();
    let mut guard = Guard::<S>::new(secret, committee.chain());
    let (_, record) = guard.sign(committee, world.statement(1)).unwrap();
    attack("guard's record", &record.encode(), |b| GuardRecord::decode(b, &()));

    let tree = Merkle::new(domain::BATCH_LEAF, domain::BATCH_NODE);
    let path = tree.path(&tree.leaves([[0], [1], [2], [3], [4]]), 2).unwrap();
    attack("Merkle path", &path.encode(), |b| Path::decode(b, &()));
}

/// Counts as large as their fields allow, in a large committee, with no data behind them.
pub(crate) fn large_counts_without_data_are_rejected<S: Spoil>() {
    let world = World::<S>::new(1);
    let members = vec![(S::public_key(&world.secrets[0]), 1); 3_000];
    let committee =
        Committee::<S>::from_attested(ChainId::from_name("t"), 0, members, Repeats::Allow).unwrap();
    let mut head = vec![S::SUITE];
    head.extend(committee.statement(Kind::new(1), 0, [0; 32]).encode());
    // Lists of 2³² − 1, 3,001 and 3,000 members without data; an unknown form; missing data.
    for rest in
        [&[1, 0xff, 0xff, 0xff, 0xff, 0x0f][..], &[1, 0xb9, 0x17], &[1, 0xb8, 0x17], &[2, 0], &[0], &[]]
    {
        let bytes = [&head, rest].concat();
        assert!(Certificate::<S>::decode(&bytes, &committee).is_err(), "{rest:?}");
    }
    let mut head = vec![S::SUITE, TIMEOUT.number()];
    head.extend([0; 16]);
    for count in [0u16, 1, 1_024, 1_025, u16::MAX] {
        let bytes = [&head[..], &count.to_le_bytes()].concat();
        assert!(TimeoutCertificate::<S>::decode(&bytes, &committee).is_err(), "{count}");
        // The groups are present, but all of the same member.
        let group = [&[9; 8][..], &[1, 1, 0]].concat().repeat(count.into());
        let code = TimeoutCertificate::<S>::decode(&[bytes, group].concat(), &committee).unwrap_err().code();
        let expected = match count {
            0 | 1 => "BELOW_QUORUM",
            1_024 => "NON_CANONICAL",
            _ => "TOO_LARGE",
        };
        assert_eq!(code, expected, "{count}");
    }
}
