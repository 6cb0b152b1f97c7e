use std::io::Result;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

/// Connects to a Unix socket. A listener that does not accept, for example because its process is stopped, lets a connection wait
/// for a place in its queue: at most for `limit`.
#[cfg(target_os = "linux")]
pub(super) fn connect_within(path: &Path, limit: Duration) -> Result<UnixStream> {
    use rustix::io::{Errno, retry_on_intr};
    use rustix::net::sockopt::{Timeout, set_socket_timeout};
    use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with};

    let address = SocketAddrUnix::new(path)?;
    let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None)?;
    // The kernel applies this limit to `connect` too. Zero would be no limit.
    set_socket_timeout(&socket, Timeout::Send, Some(limit.max(Duration::from_millis(1))))?;
    retry_on_intr(|| connect(&socket, &address)).map_err(|error| match error {
        Errno::AGAIN => super::limits::timed_out(&path.display().to_string()),
        other => other.into(),
    })?;
    Ok(socket.into())
}

/// Other systems refuse a connection for whose queue there is no place.
#[cfg(not(target_os = "linux"))]
pub(super) fn connect_within(path: &Path, _limit: Duration) -> Result<UnixStream> {
    UnixStream::connect(path)
}
