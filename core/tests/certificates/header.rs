use quorate::certificate::{Conflict, Equivocation, UntrustedHeader};
use quorate::wire::Encode;

use crate::harness::{Spoil, TIMEOUT, VIEW, VOTE, World};
use crate::timeouts;

pub(crate) fn every_encoding_begins_with_the_header<S: Spoil>() {
    let world = World::<S>::new(7);
    let certificate = |digest| world.certificate(0..5, digest).into_inner();
    let encodings = [
        (VOTE, world.vote(1, 5).encode()),
        (VOTE, certificate(5).encode()),
        (VOTE, Equivocation::new(world.vote(1, 5), world.vote(1, 4)).unwrap().encode()),
        (VOTE, Conflict::new(certificate(5), certificate(4)).unwrap().encode()),
        (TIMEOUT, world.timeout(2, 6).encode()),
        (TIMEOUT, timeouts::certificate(&world, &[1; 5], 2).encode()),
    ];
    for (kind, bytes) in encodings {
        let header = UntrustedHeader::peek(&bytes).unwrap();
        assert_eq!((header.suite(), header.kind()), (S::SUITE, kind));
        assert_eq!((header.epoch(), header.view()), (3, VIEW));
        assert_eq!(UntrustedHeader::peek(&bytes[..UntrustedHeader::LEN]), Ok(header));
        assert_eq!(
            UntrustedHeader::peek(&bytes[..UntrustedHeader::LEN - 1]).unwrap_err().code(),
            "MALFORMED"
        );
    }
}
