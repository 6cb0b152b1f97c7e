//! Messages of the audited Redis.

use quorate_audited_redis::REDIS;
use quorate_audited_redis::frame::{Frame, MAX_FRAME, SignedCommand};
use quorate_audited_redis::proof;
use quorate_audited_redis::resp::{Command, Malformed, ReplyScanner, Value, encode_command};

use super::{BODIES, KEY, proofs};
use crate::mutate::Rng;

/// Length of the longest input of which every prefix is tested.
const EVERY_PREFIX: usize = 512;

/// Accepted messages have one encoding and do not depend on how the bytes are split; all readers find the same end of a
/// reply; and only signed commands have proofs.
pub(crate) fn run(bytes: &[u8]) {
    frame(bytes);
    if let Ok(signed) = SignedCommand::decode(bytes) {
        let mut again = Vec::new();
        signed.encode_to(&mut again);
        assert_eq!(again, bytes, "a signed command encodes to other bytes");
    }
    command(bytes);
    reply(bytes);
    let holds = proof::check(&REDIS, bytes, &KEY).is_ok();
    assert_eq!(holds, proofs().any(|proof| proof == bytes), "a proof of an unsigned command");
}

/// Seeds of [`run`]: a frame, a command, a reply and a proof of each kind.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let replies = ["+OK\r\n", "-ERR no\r\n", ":-7\r\n", "$3\r\na\r\n\r\n", "$-1\r\n", "*-1\r\n", "*0\r\n"];
    let nested = "*3\r\n*1\r\n:1\r\n$0\r\n\r\n-ERR inside\r\n";
    let long = format!(":{:0>31}\r\n", 7);
    let mut seeds: Vec<_> = replies.iter().map(|reply| reply.as_bytes().to_vec()).collect();
    seeds.extend([nested.into(), long.into()]);
    for frame in [
        Frame::Announcement(&[3; 100]),
        Frame::Welcome { last: 7 },
        Frame::Reply { sequence: 1, entry: 2, reply: b"+OK\r\n" },
        Frame::Refused { sequence: 1, reply: b"-GAP no\r\n" },
    ] {
        let mut bytes = Vec::new();
        frame.encode_to(&mut bytes);
        seeds.push(bytes);
    }
    for body in BODIES.iter() {
        let mut framed = Vec::new();
        Frame::Command(body).encode_to(&mut framed);
        seeds.extend([framed, body.clone()]);
        seeds.extend(SignedCommand::decode(body).map(|signed| signed.command.to_vec()));
    }
    seeds.extend(proofs());
    seeds
}

fn frame(bytes: &[u8]) {
    let whole = Frame::take(bytes, MAX_FRAME);
    let Ok(Some((frame, used))) = whole else { return };
    let mut again = Vec::new();
    frame.encode_to(&mut again);
    assert_eq!(Some(again.as_slice()), bytes.get(..used), "a frame encodes to other bytes");
    for part in prefixes(bytes) {
        let expected = if part.len() < used { Ok(None) } else { whole };
        assert_eq!(Frame::take(part, MAX_FRAME), expected, "{} bytes", part.len());
    }
}

fn command(bytes: &[u8]) {
    let whole = Command::take(bytes);
    if let Ok(Some(command)) = whole {
        let arguments: Vec<_> = command.arguments().collect();
        assert_eq!(encode_command(&arguments).as_deref(), Ok(command.bytes()));
        assert_eq!(Command::parse(command.bytes()), Ok(command));
        assert_eq!(Some(&command.name()), arguments.first());
    }
    assert_eq!(Command::parse(bytes).ok(), whole.ok().flatten().filter(|it| it.bytes() == bytes));
    // More bytes complete a command or make it invalid; they do not change an earlier result.
    for part in prefixes(bytes) {
        let taken = Command::take(part);
        assert!(taken == Ok(None) || taken == whole, "{} bytes: {taken:?} of {whole:?}", part.len());
        if let Ok(Some(command)) = whole {
            assert_eq!(taken.is_ok_and(|taken| taken.is_none()), part.len() < command.bytes().len());
        }
    }
}

/// The result of a scanner: the end of the first reply, or its progress.
type Verdict = Result<(usize, bool), Malformed>;

fn reply(bytes: &[u8]) {
    let whole = ReplyScanner::default().scan(bytes);
    assert_eq!(in_parts(bytes, |_| 1), whole, "byte by byte");
    let mut rng = Rng::new(bytes.len() as u64);
    assert_eq!(in_parts(bytes, |_| 1 + rng.below(9)), whole, "in small parts");
    assert_eq!(in_parts(bytes, |left| 1 + left / 2), whole, "in halves");
    match (Value::parse(bytes), whole) {
        (Ok(_), whole) => assert_eq!(whole, Ok((bytes.len(), true))),
        // The scanner only looks for the end: integers may be anything, and nesting may be deeper.
        (Err(Malformed(reason)), Ok((end, true))) if end == bytes.len() => {
            assert!(matches!(reason, "a number" | "too deep"), "{reason}");
        }
        _ => {}
    }
}

/// Passes the bytes to a scanner in parts, whose sizes depend on the number of bytes left.
fn in_parts(bytes: &[u8], mut size: impl FnMut(usize) -> usize) -> Verdict {
    let (mut scanner, mut at, mut seen) = (ReplyScanner::default(), 0, 0);
    while seen < bytes.len() {
        seen = (seen + size(bytes.len() - seen)).min(bytes.len());
        let (used, done) = scanner.scan(bytes.get(at..seen).unwrap_or_default())?;
        at += used;
        if done {
            return Ok((at, true));
        }
    }
    Ok((at, false))
}

/// Every prefix of a short input; of a long one those around its beginning and its end.
fn prefixes(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let begin = 0..=bytes.len().min(EVERY_PREFIX);
    let end = bytes.len().saturating_sub(8).max(EVERY_PREFIX + 1)..=bytes.len();
    begin.chain(end).filter_map(|len| bytes.get(..len))
}
