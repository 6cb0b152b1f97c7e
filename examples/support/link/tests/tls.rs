//! Links over TCP that are protected with TLS.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::io::Write;
use std::net::TcpStream;
use std::time::Duration;

use quorate::ed25519::{Ed25519, PublicKey, SecretKey};
use quorate::scheme::Scheme;
use quorate_link::{CAPACITY, Endpoint, Link, Listener, MAX_MESSAGE, Pace, SendError};
use quorate_tls::{Tls, server_name};
use rustls::{ClientConnection, ServerConnection};

const LIMIT: Duration = Duration::from_secs(60);
const PROTOCOL: &[u8] = b"quorate-link-test/1";

fn secret(seed: u8) -> SecretKey {
    Ed25519::secret_from_bytes(&[seed; 32]).unwrap()
}

fn key(seed: u8) -> PublicKey {
    Ed25519::public_key(&secret(seed))
}

/// The configuration of an end that accepts the keys 1 and 2.
fn tls(seed: u8) -> Tls {
    Tls::accepting(secret(seed), [(0, &key(1)), (1, &key(2))], PROTOCOL).unwrap()
}

fn listen() -> (Listener, String) {
    let listener = Listener::bind(&Endpoint::Tcp("127.0.0.1:0".into())).unwrap();
    let address = listener.endpoint().unwrap().to_string();
    (listener, address)
}

/// The end of key 1.
fn accept(listener: &mut Listener) -> Link {
    let link = loop {
        match listener.accept().unwrap() {
            Some(link) => break link,
            None => std::thread::yield_now(),
        }
    };
    link.with_tls(ServerConnection::new(tls(1).server_config()).unwrap())
}

/// Connects with a key, and expects another one.
fn connect(address: &str, own: u8, expected: u8) -> Link {
    let link = Link::connect(&Endpoint::Tcp(address.to_owned()), LIMIT).unwrap();
    let config = tls(own).client_config(&key(expected)).unwrap();
    link.with_tls(ClientConnection::new(config, server_name().unwrap()).unwrap())
}

#[test]
fn messages_arrive_whole_and_in_order_in_both_directions() {
    let (mut listener, address) = listen();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let mut link = accept(&mut listener);
            let mut message = Vec::new();
            while let Ok(received) = link.receive_within(&mut message, Pace::Sleep, LIMIT) {
                assert!(received);
                link.send(&message).unwrap();
            }
        });
        let mut link = connect(&address, 2, 1);
        let message = |number: usize| vec![number as u8; number * 1_097 % (MAX_MESSAGE + 1)];
        // The first ones are sent before the handshake is done.
        (0..8).for_each(|number| link.send(&message(number)).unwrap());
        let mut received = Vec::new();
        for number in 0..500 {
            if number + 8 < 500 {
                link.send(&message(number + 8)).unwrap();
            }
            assert!(link.receive_within(&mut received, Pace::Sleep, LIMIT).unwrap());
            assert!(received == message(number), "message {number}");
        }
    });
}

#[test]
fn other_keys_and_other_protocols_close_the_link() {
    let plain = |address: &str, bytes: &[u8]| TcpStream::connect(address).unwrap().write_all(bytes).unwrap();
    let attempts: [&(dyn Fn(&str) + Sync); 4] = [
        // A key that the listener does not accept.
        &|address| assert!(fails(connect(address, 3, 1))),
        // Another key than the listener has.
        &|address| assert!(fails(connect(address, 2, 3))),
        &|address| plain(address, b"\x04\x00\x00\x00text"),
        &|address| plain(address, &[0x16; 4096]),
    ];
    for attempt in attempts {
        let (mut listener, address) = listen();
        std::thread::scope(|scope| {
            scope.spawn(move || assert!(fails(accept(&mut listener))));
            attempt(&address);
        });
    }
}

/// True if the link ends without a message.
fn fails(mut link: Link) -> bool {
    link.receive_within(&mut Vec::new(), Pace::Sleep, LIMIT).is_err()
}

#[test]
fn a_peer_that_does_not_read_causes_an_error_and_no_growth() {
    let (mut listener, address) = listen();
    let mut client = connect(&address, 2, 1);
    let mut server = accept(&mut listener);
    client.send(b"first").unwrap();
    while !server.receive(&mut Vec::new()).unwrap() {
        let _ = client.receive(&mut Vec::new()).unwrap();
    }
    let message = vec![7; MAX_MESSAGE];
    // The system's buffers hold some megabytes.
    let sent = (0..100_000).find_map(|sent| server.send(&message).err().map(|error| (sent, error)));
    let (sent, error) = sent.unwrap();
    assert_eq!(error, SendError::Full);
    assert!(sent >= CAPACITY);
    // Everything that was sent arrives when the peer reads.
    let mut received = Vec::new();
    for _ in 0..sent {
        while !client.receive(&mut received).unwrap() {
            let _ = server.receive(&mut Vec::new()).unwrap();
        }
        assert!(received == message);
    }
}
