use std::fmt;

/// The library is missing or does not work on this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unavailable;

/// Returns true if this program was built with libsodium.
pub const fn is_linked() -> bool {
    cfg!(feature = "libsodium")
}

impl fmt::Display for Unavailable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if is_linked() {
            "libsodium does not work on this machine"
        } else {
            "this program was built without libsodium; install libsodium-dev and build with `--features sodium`"
        })
    }
}

impl std::error::Error for Unavailable {}
