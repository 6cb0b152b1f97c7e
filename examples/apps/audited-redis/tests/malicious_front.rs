//! Fake fronts: a client refuses one whose log lost an answered command, and waits for a slow one.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use quorate_audited_redis::client::{Client, ClientOptions};
use quorate_audited_redis::frame::{Frame, MAGIC, SignatureScheme, SignedCommand};
use quorate_audited_redis::keys::Key;
use quorate_audited_redis::resp::encode_command;
use quorate_audited_redis::sidecar::Sidecar;

/// Starts a front that reports the next of `lasts` to each connection, answers its first command, and closes it.
fn malicious_front(lasts: &'static [u64]) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    thread::spawn(move || {
        for last in lasts {
            let (mut stream, _) = listener.accept().unwrap();
            // A client that refuses the front closes the connection.
            let _ = serve(&mut stream, *last);
        }
    });
    address
}

fn serve(stream: &mut TcpStream, last: u64) -> std::io::Result<()> {
    let send = |stream: &mut TcpStream, frame: Frame<'_>| {
        let mut bytes = Vec::new();
        frame.encode_to(&mut bytes);
        stream.write_all(&bytes)
    };
    stream.read_exact(&mut [0; 40])?;
    stream.write_all(&[&MAGIC[..], &[7; 32], &[9; 32]].concat())?;
    stream.read_exact(&mut [0; 64])?;
    send(stream, Frame::Welcome { last })?;
    loop {
        let mut len = [0; 4];
        stream.read_exact(&mut len)?;
        let mut body = vec![0; u32::from_le_bytes(len) as usize];
        stream.read_exact(&mut body)?;
        if body[0] == 2 {
            let sequence = SignedCommand::decode(&body[1..]).unwrap().sequence;
            return send(stream, Frame::Reply { sequence, entry: sequence, reply: b"+PONG\r\n" });
        }
    }
}

/// Starts a front that reads nothing for a second and then answers `count` commands.
fn slow_front(count: u64) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream.read_exact(&mut [0; 40]).unwrap();
        stream.write_all(&[&MAGIC[..], &[7; 32], &[9; 32]].concat()).unwrap();
        stream.read_exact(&mut [0; 64]).unwrap();
        let mut bytes = Vec::new();
        Frame::Welcome { last: 0 }.encode_to(&mut bytes);
        stream.write_all(&bytes).unwrap();
        thread::sleep(Duration::from_secs(1));
        for sequence in 1..=count {
            let mut len = [0; 4];
            stream.read_exact(&mut len).unwrap();
            stream.read_exact(&mut vec![0; u32::from_le_bytes(len) as usize]).unwrap();
            bytes.clear();
            Frame::Reply { sequence, entry: sequence, reply: b"+OK\r\n" }.encode_to(&mut bytes);
            stream.write_all(&bytes).unwrap();
        }
    });
    address
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_fast_sender_waits_and_loses_nothing() {
    let (front, key) = (slow_front(40), Key::generate().unwrap());
    let unsigned = ClientOptions { scheme: SignatureScheme::None, ..options() };
    let client = Client::connect(&front, &key, unsigned).await.unwrap();
    let large = encode_command(&[b"SET".as_slice(), b"a", &vec![b'x'; 4 << 20]]).unwrap();
    let mut answers = Vec::new();
    for _ in 0..40 {
        answers.push(client.send(&large).await.unwrap());
    }
    for pending in answers {
        assert!(pending.answer().await.unwrap().entry.is_some());
    }
}

fn options() -> ClientOptions {
    ClientOptions {
        scheme: SignatureScheme::Eddsa,
        connect_timeout: Duration::from_secs(120),
        ..ClientOptions::default()
    }
}

#[tokio::test]
async fn a_front_whose_log_lost_an_answer_is_refused() {
    let (front, key) = (malicious_front(&[3, 3, 4]), Key::generate().unwrap());
    let client = Client::connect(&front, &key, options()).await.unwrap();
    assert_eq!(client.answered(), 0);
    assert_eq!(client.call(&["PING"]).await.unwrap().sequence, 4);
    let again = ClientOptions { answered: client.answered(), ..options() };
    assert_eq!(again.answered, 4);
    let failure = Client::connect(&front, &key, again.clone()).await.err().unwrap();
    assert_eq!(failure.code, "ROLLED_BACK");
    let client = Client::connect(&front, &key, again).await.unwrap();
    assert_eq!(client.answered(), 4);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reconnecting_sidecar_refuses_a_log_that_lost_an_answer() {
    let front = malicious_front(&[0, 0, 0, 1]);
    let sidecar = Sidecar::start("127.0.0.1:0".parse().unwrap(), &front, Key::generate().unwrap(), options())
        .await
        .unwrap();
    let address = sidecar.address();
    let answers = tokio::task::spawn_blocking(move || -> Vec<String> {
        let ping = || {
            let mut stream = TcpStream::connect(address).unwrap();
            stream.write_all(b"*1\r\n$4\r\nPING\r\n").unwrap();
            let mut answer = [0; 512];
            let read = stream.read(&mut answer).unwrap();
            String::from_utf8_lossy(&answer[..read]).split_whitespace().next().unwrap().to_owned()
        };
        let mut answers = vec![ping()];
        // A command may be in flight when the connection breaks.
        while answers.last().is_some_and(|last| last != "-ROLLED_BACK") && answers.len() < 4 {
            answers.push(ping());
        }
        answers.push(ping());
        answers.push(ping());
        answers
    });
    let mut answers = answers.await.unwrap();
    answers.retain(|word| word != "-LOST");
    assert_eq!(answers, ["+PONG", "-ROLLED_BACK", "-ROLLED_BACK", "+PONG"]);
    sidecar.shutdown().await;
}
