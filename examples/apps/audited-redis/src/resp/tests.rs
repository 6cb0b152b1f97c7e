use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

#[test]
fn a_command_has_one_encoding() {
    let bytes = encode_command(&["SET", "a", ""]).unwrap();
    assert_eq!(bytes, b"*3\r\n$3\r\nSET\r\n$1\r\na\r\n$0\r\n\r\n");
    let command = Command::parse(&bytes).unwrap();
    assert_eq!(command.arguments().collect::<Vec<_>>(), [&b"SET"[..], b"a", b""]);
    assert_eq!(command.name(), b"SET");
    for other in [
        "*03\r\n$3\r\nSET\r\n$1\r\na\r\n$0\r\n\r\n",
        "*+1\r\n$4\r\nPING\r\n",
        "*1\r\n$04\r\nPING\r\n",
        "*1\r\n$-1\r\n",
        "*0\r\n",
        "*-1\r\n",
        "*1\n$4\nPING\n",
        "*1\r\n+PING\r\n",
        "PING\r\n",
        "*1\r\n$4\r\nPING\r\n ",
        "*1\r\n$4\r\nPINGS\r",
        "*1\r\n$999999999\r\n",
        "*65537\r\n",
    ] {
        assert!(Command::parse(other.as_bytes()).is_err(), "{other:?}");
    }
}

#[test]
fn limits_apply_before_data_is_read() {
    assert!(Command::take(b"*1\r\n$8388608\r\n").is_err());
    assert!(Command::take(b"*65536\r\n").unwrap().is_none());
    assert!(encode_command(&[vec![0; MAX_COMMAND]]).is_err());
    assert!(encode_command::<&str>(&[]).is_err());
    let deep = "*1\r\n".repeat(MAX_DEPTH + 1);
    assert!(Value::parse(format!("{deep}+OK\r\n").as_bytes()).is_err());
    assert!(ReplyScanner::default().scan("*1\r\n".repeat(MAX_OPEN + 1).as_bytes()).is_err());
    assert!(ReplyScanner::default().scan(&[b':'; MAX_NUMBER + 2]).is_err());
    assert!(ReplyScanner::default().scan(b"$18446744073709551615\r\n").is_err());
}

#[test]
fn large_replies_are_accepted() {
    let long = format!("-{}\r\n", "x".repeat(70_000));
    let deep = format!("{}+OK\r\n", "*1\r\n".repeat(8000));
    for reply in [long, deep] {
        for step in [1, 4096, reply.len()] {
            let (mut scanner, mut at, mut seen) = (ReplyScanner::default(), 0, 0);
            loop {
                seen = (seen + step).min(reply.len());
                let (used, done) = scanner.scan(&reply.as_bytes()[at..seen]).unwrap();
                at += used;
                assert!(seen - at <= MAX_NUMBER, "little is kept");
                if done {
                    break;
                }
            }
            assert_eq!(at, reply.len());
        }
    }
}

#[test]
fn the_limit_of_numbers_is_independent_of_chunks() {
    for (digits, passes) in [(MAX_NUMBER - 1, true), (MAX_NUMBER, false)] {
        let reply = format!(":{:0>digits$}\r\n", 7);
        assert_eq!(ReplyScanner::default().scan(reply.as_bytes()).is_ok(), passes);
        assert_eq!(Value::parse(reply.as_bytes()).is_ok(), passes);
        let mut scanner = ReplyScanner::default();
        assert_eq!((0..=reply.len()).all(|seen| scanner.scan(&reply.as_bytes()[..seen]).is_ok()), passes);
    }
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        "[a-zA-Z ]{0,12}".prop_map(Value::Simple),
        "[a-zA-Z ]{0,12}".prop_map(Value::Error),
        any::<i64>().prop_map(Value::Integer),
        proptest::option::of(vec(any::<u8>(), 0..40)).prop_map(Value::Bulk),
    ];
    leaf.prop_recursive(4, 32, 6, |inner| proptest::option::of(vec(inner, 0..6)).prop_map(Value::Array))
}

fn written(value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::Simple(text) => out.extend(format!("+{text}\r\n").bytes()),
        Value::Error(text) => out.extend(format!("-{text}\r\n").bytes()),
        Value::Integer(number) => out.extend(format!(":{number}\r\n").bytes()),
        Value::Bulk(None) => out.extend(b"$-1\r\n"),
        Value::Array(None) => out.extend(b"*-1\r\n"),
        Value::Bulk(Some(bytes)) => {
            out.extend(format!("${}\r\n", bytes.len()).bytes());
            out.extend(bytes);
            out.extend(b"\r\n");
        }
        Value::Array(Some(items)) => {
            out.extend(format!("*{}\r\n", items.len()).bytes());
            items.iter().for_each(|item| written(item, out));
        }
    }
}

proptest! {
    #[test]
    fn commands_round_trip_and_prefixes_are_incomplete(arguments in vec(vec(any::<u8>(), 0..40), 1..8)) {
        let bytes = encode_command(&arguments).unwrap();
        let command = Command::parse(&bytes).unwrap();
        prop_assert_eq!(command.arguments().map(<[u8]>::to_vec).collect::<Vec<_>>(), arguments);
        for cut in 0..bytes.len() {
            prop_assert_eq!(Command::take(&bytes[..cut]), Ok(None));
        }
    }

    #[test]
    fn parsed_commands_encode_to_the_same_bytes(bytes in "[*$0-3\r\na]{0,40}") {
        if let Ok(command) = Command::parse(bytes.as_bytes()) {
            let arguments: Vec<_> = command.arguments().collect();
            prop_assert_eq!(encode_command(&arguments).unwrap(), bytes.as_bytes());
        }
    }

    #[test]
    fn reply_ends_are_independent_of_chunks(values in vec(value(), 1..5), step in 1usize..30) {
        let (mut stream, mut ends) = (Vec::new(), Vec::new());
        for value in &values {
            let begin = stream.len();
            written(value, &mut stream);
            ends.push(stream.len());
            prop_assert_eq!(&Value::parse(&stream[begin..]).unwrap(), value);
        }
        let (mut scanner, mut at, mut seen, mut found) = (ReplyScanner::default(), 0, 0, Vec::new());
        while seen < stream.len() {
            seen = (seen + step).min(stream.len());
            loop {
                let (used, done) = scanner.scan(&stream[at..seen]).unwrap();
                at += used;
                if !done {
                    break;
                }
                found.push(at);
            }
        }
        prop_assert_eq!(found, ends);
    }

    #[test]
    fn parsers_do_not_panic(bytes in vec(any::<u8>(), 0..200)) {
        let _ = Command::take(&bytes);
        let _ = Value::parse(&bytes);
        let _ = ReplyScanner::default().scan(&bytes);
    }
}
