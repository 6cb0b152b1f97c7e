//! Links between threads and between processes, one of which is killed.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::io::{BufRead, BufReader};
use std::os::fd::AsFd;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use quorate_link::{CAPACITY, Closed, Endpoint, Link, Listener, MAX_MESSAGE, Pace, SendError, wait};

const LIMIT: Duration = Duration::from_secs(60);

/// Both kinds of endpoints.
fn endpoints(folder: &Path) -> [Endpoint; 2] {
    [Endpoint::SharedMemory(folder.join("link.sock")), Endpoint::Tcp("127.0.0.1:0".into())]
}

fn accept(listener: &mut Listener) -> Link {
    let began = Instant::now();
    loop {
        if let Some(link) = listener.accept().unwrap() {
            return link;
        }
        assert!(began.elapsed() < LIMIT);
        wait(&[listener.as_fd()], Duration::from_secs(1));
    }
}

/// Runs the two ends of a link in two threads.
fn both(endpoint: &Endpoint, server: impl FnOnce(Link) + Send, client: impl FnOnce(Link)) {
    let mut ready = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        let (sender, receiver) = (&mut ready.0, &mut ready.1);
        scope.spawn(move || {
            let mut listener = Listener::bind(endpoint).unwrap();
            sender.send(listener.endpoint().unwrap()).unwrap();
            server(accept(&mut listener));
        });
        client(Link::connect(&receiver.recv().unwrap(), LIMIT).unwrap());
    });
}

/// The message with a number.
fn message(number: u32) -> Vec<u8> {
    let len = number as usize * 97 % (MAX_MESSAGE - 4);
    [&number.to_le_bytes()[..], &vec![number as u8; len]].concat()
}

#[test]
fn messages_arrive_whole_and_in_order_in_both_directions() {
    let folder = tempfile::tempdir().unwrap();
    for endpoint in endpoints(folder.path()) {
        for pace in [Pace::Spin, Pace::Sleep] {
            let echo = |mut link: Link| {
                let mut buffer = Vec::new();
                loop {
                    match link.receive_within(&mut buffer, pace, LIMIT) {
                        Ok(received) => assert!(received),
                        Err(Closed) => return,
                    }
                    while link.send(&buffer) == Err(SendError::Full) {
                        std::thread::yield_now();
                    }
                }
            };
            both(&endpoint, echo, |mut link| {
                let (mut sent, mut buffer) = (0, Vec::new());
                for expected in 0..2000 {
                    while sent < 2000 && sent - expected < CAPACITY as u32 / 2 {
                        link.send(&message(sent)).unwrap();
                        sent += 1;
                    }
                    assert!(link.receive_within(&mut buffer, pace, LIMIT).unwrap());
                    assert_eq!(buffer, message(expected));
                }
            });
        }
    }
}

#[test]
fn a_reader_that_stops_causes_an_error_and_no_growth() {
    let folder = tempfile::tempdir().unwrap();
    for endpoint in endpoints(folder.path()) {
        let (stop, stopped) = std::sync::mpsc::channel();
        let silent = move |mut link: Link| {
            stopped.recv().unwrap();
            // The messages before the refused one are complete.
            let (mut number, mut buffer) = (0, Vec::new());
            while link.receive_within(&mut buffer, Pace::Spin, LIMIT) == Ok(true) {
                assert_eq!(buffer, message(number));
                number += 1;
            }
            assert!(number as usize >= CAPACITY);
        };
        both(&endpoint, silent, |mut link| {
            assert_eq!(link.send(&vec![0; MAX_MESSAGE + 1]), Err(SendError::TooLong));
            let mut number = 0;
            // TCP has the buffers of the kernel besides.
            while number < 10_000 && link.send(&message(number)) == Ok(()) {
                number += 1;
            }
            assert!((CAPACITY as u32..10_000).contains(&number), "{number}");
            assert_eq!(link.send(&message(number)), Err(SendError::Full));
            stop.send(()).unwrap();
            // Once the reader reads, messages are accepted again.
            let began = Instant::now();
            while link.send(&message(number)) == Err(SendError::Full) {
                assert!(began.elapsed() < LIMIT);
                std::thread::yield_now();
            }
            // A link over TCP sends the rest of its buffer while its owner receives.
            let mut buffer = Vec::new();
            for _ in 0..100 {
                assert_eq!(link.receive_within(&mut buffer, Pace::Spin, Duration::from_millis(1)), Ok(false));
            }
        });
    }
}

/// Process that is killed when dropped.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Another process that answers messages.
fn echo(endpoint: &Endpoint) -> (Process, Endpoint) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quorate-link"));
    command.args(["echo", "--sleep", "--listen", &endpoint.to_string()]);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    (Process(child), line.trim().parse().unwrap())
}

#[test]
fn the_death_of_the_peer_is_noticed_and_its_place_is_free() {
    let folder = tempfile::tempdir().unwrap();
    for endpoint in endpoints(folder.path()) {
        // The second process replaces the socket file of the first, which was killed.
        for _ in 0..2 {
            let (process, address) = echo(&endpoint);
            let mut link = Link::connect(&address, LIMIT).unwrap();
            let mut buffer = Vec::new();
            link.send(b"hello").unwrap();
            assert!(link.receive_within(&mut buffer, Pace::Sleep, LIMIT).unwrap());
            assert_eq!(buffer, b"hello");
            drop(process);
            assert_eq!(link.receive_within(&mut buffer, Pace::Sleep, LIMIT), Err(Closed));
            let began = Instant::now();
            while link.send(b"hello") != Err(SendError::Closed) {
                assert!(began.elapsed() < LIMIT);
            }
        }
        assert!(Link::connect(&endpoint, LIMIT).is_err());
    }
}

/// Environment variable with the address to which [`a_writer_that_does_not_stop`] connects.
const READER: &str = "QUORATE_LINK_READER";

#[test]
#[ignore = "the next test runs it in a separate process"]
fn a_writer_that_does_not_stop() {
    let Ok(reader) = std::env::var(READER) else { return };
    let mut link = Link::connect(&reader.parse().unwrap(), LIMIT).unwrap();
    for number in 0.. {
        let message = message(number);
        while let Err(error) = link.send(&message) {
            if error != SendError::Full {
                return;
            }
            std::thread::yield_now();
        }
    }
}

#[test]
fn a_writer_that_is_killed_in_a_flood_leaves_whole_messages_and_an_end() {
    let folder = tempfile::tempdir().unwrap();
    for endpoint in endpoints(folder.path()) {
        for _ in 0..6 {
            let mut listener = Listener::bind(&endpoint).unwrap();
            let mut command = Command::new(std::env::current_exe().unwrap());
            command.args(["--ignored", "--exact", "a_writer_that_does_not_stop"]);
            command.env(READER, listener.endpoint().unwrap().to_string());
            let writer = Process(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
            let mut link = accept(&mut listener);
            // It is killed after a random number of messages and a random time, while the reader reads on.
            let mut random = [0; 2];
            getrandom::fill(&mut random).unwrap();
            let (first, pause) = (u32::from(random[0]), Duration::from_micros(u64::from(random[1]) * 8));
            let mut writer = Some(writer);
            let (mut number, mut buffer) = (0, Vec::new());
            std::thread::scope(|scope| {
                loop {
                    if let Some(writer) = writer.take_if(|_| number == first) {
                        scope.spawn(move || {
                            std::thread::sleep(pause);
                            drop(writer);
                        });
                    }
                    match link.receive_within(&mut buffer, Pace::Spin, LIMIT) {
                        Ok(received) => assert!(received, "no end after message {number}"),
                        Err(Closed) => break,
                    }
                    assert!(buffer == message(number), "message {number}: {} bytes", buffer.len());
                    number += 1;
                }
            });
            assert!(number >= first, "{number} of {first}");
        }
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_listener_that_does_not_accept_is_given_up() {
    use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, bind, listen, socket_with};

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("link.sock");
    // A queue with one place.
    let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None).unwrap();
    bind(&socket, &SocketAddrUnix::new(&path).unwrap()).unwrap();
    listen(&socket, 0).unwrap();
    let endpoint = Endpoint::SharedMemory(path);
    // The first connection waits for the name of its link, the next one for a place in the queue.
    for _ in 0..2 {
        let error = Link::connect(&endpoint, Duration::from_millis(20)).unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::TimedOut, "{error}");
    }
    assert_eq!(Listener::bind(&endpoint).unwrap_err().kind(), std::io::ErrorKind::AddrInUse);
}

#[test]
fn the_bench_measures_the_link_beside_a_plain_ring() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quorate-link"));
    let output = command.args(["bench", "--json", "--count", "10", "--bytes", "64,65"]).output().unwrap();
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let results = report["results"].as_array().unwrap();
    let measured: Vec<_> = results
        .iter()
        .map(|one| (one["transport"].as_str().unwrap(), one["bytes"].as_u64().unwrap()))
        .collect();
    let transports = ["plain ring", "shared memory", "TCP"];
    assert_eq!(measured, transports.map(|transport| [(transport, 64), (transport, 65)]).concat());
    assert!(results.iter().all(|one| one["p50"].as_f64().unwrap() > 0.0), "{report}");
}

#[test]
fn a_living_listener_is_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let [endpoint, _] = endpoints(folder.path());
    let first = Listener::bind(&endpoint).unwrap();
    assert_eq!(Listener::bind(&endpoint).unwrap_err().kind(), std::io::ErrorKind::AddrInUse);
    drop(first);
    drop(Listener::bind(&endpoint).unwrap());
    assert!(!folder.path().join("link.sock").exists());
}

/// Ticks of processor time that a process has used.
#[cfg(target_os = "linux")]
fn ticks(process: &Process) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", process.0.id())).unwrap();
    let fields: Vec<_> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
    fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
}

#[test]
#[cfg(target_os = "linux")]
fn an_idle_reader_sleeps_and_wakes_up() {
    let folder = tempfile::tempdir().unwrap();
    let (process, address) = echo(&endpoints(folder.path())[0]);
    let mut link = Link::connect(&address, LIMIT).unwrap();
    let mut buffer = Vec::new();
    for _ in 0..3 {
        link.send(b"x").unwrap();
        assert!(link.receive_within(&mut buffer, Pace::Sleep, LIMIT).unwrap());
        let before = ticks(&process);
        std::thread::sleep(Duration::from_millis(500));
        // A process that polls would use 50 ticks.
        assert!(ticks(&process) - before <= 15, "{}", ticks(&process) - before);
    }
}
