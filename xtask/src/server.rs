//! A server of static files on the loopback address, for the pages that `cargo xtask` builds.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Component, Path, PathBuf};
use std::thread;
use std::time::Duration;

use crate::process::Outcome;

/// Timeout for a request.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum length of the request line and headers, in bytes.
const MAX_REQUEST: u64 = 16 * 1024;

/// Serves a folder on loopback until Ctrl-C; port 0 selects a free one.
pub(crate) fn run(folder: &Path, port: u16) -> Outcome {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))
        .map_err(|e| format!("port {port}: {e}; choose another with --port"))?;
    let address = listener.local_addr().map_err(|e| e.to_string())?;
    println!("http://{address}/  (Ctrl-C ends)");
    serve(&listener, folder);
    Ok(())
}

/// Answers each request on its own thread: the only client is a browser on this machine.
pub(crate) fn serve(listener: &TcpListener, folder: &Path) {
    thread::scope(|scope| {
        for stream in listener.incoming().flatten() {
            // An error means that the client closed the connection.
            scope.spawn(move || drop(answer(stream, folder)));
        }
    });
}

fn answer(mut stream: TcpStream, folder: &Path) -> std::io::Result<()> {
    stream.set_read_timeout(Some(REQUEST_TIMEOUT))?;
    stream.set_write_timeout(Some(REQUEST_TIMEOUT))?;
    let mut reader = BufReader::new((&stream).take(MAX_REQUEST));
    let mut request = String::new();
    reader.read_line(&mut request)?;
    let mut header = String::new();
    while reader.read_line(&mut header)? > 2 {
        header.clear();
    }
    let mut words = request.split(' ');
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let found = if ["GET", "HEAD"].contains(&method) { find(folder, target) } else { None };
    let (status, kind, body) = match found.and_then(|path| Some((kind(&path), fs::read(&path).ok()?))) {
        Some((kind, body)) => ("200 OK", kind, body),
        None => ("404 Not Found", "text/plain; charset=utf-8", b"not found\n".to_vec()),
    };
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nCache-Control: no-cache\r\n\
         X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n",
        body.len()
    )?;
    if method == "GET" {
        stream.write_all(&body)?;
    }
    stream.flush()
}

/// The file of a request's target; `None` for a target outside the folder.
fn find(folder: &Path, target: &str) -> Option<PathBuf> {
    let path = target.split(['?', '#']).next()?.strip_prefix('/')?;
    let inside = Path::new(path).components().all(|part| matches!(part, Component::Normal(_)));
    let page = if path.is_empty() || path.ends_with('/') { "index.html" } else { "" };
    inside.then(|| folder.join(format!("{path}{page}")))
}

fn kind(path: &Path) -> &'static str {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js" | "mjs") => "text/javascript; charset=utf-8",
        Some("wasm") => "application/wasm",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("json") => "application/json",
        Some("txt") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_the_folder_are_found() {
        let folder = Path::new("/srv");
        assert_eq!(find(folder, "/"), Some("/srv/index.html".into()));
        assert_eq!(find(folder, "/js/a.js?x=/.."), Some("/srv/js/a.js".into()));
        assert_eq!(find(folder, "/blocks/"), Some("/srv/blocks/index.html".into()));
        for target in ["/../secret", "/a/../../b", "//etc/passwd", "a", "", "/./../x"] {
            assert_eq!(find(folder, target), None, "{target}");
        }
        assert_eq!(kind(Path::new("engine/engine_bg.wasm")), "application/wasm");
    }
}
