//! Threads and cores.

use std::io::Result;

/// Pins the calling thread, and the threads that it starts later, to a core. Elsewhere than on Linux the thread is not pinned
/// and the result is an error.
///
/// # Errors
/// If there is no such core, or this process must not use it.
#[cfg(target_os = "linux")]
pub fn pin(core: usize) -> Result<()> {
    use rustix::thread::{CpuSet, sched_setaffinity};

    if core >= CpuSet::MAX_CPU {
        return Err(std::io::ErrorKind::InvalidInput.into());
    }
    let mut cores = CpuSet::new();
    cores.set(core);
    Ok(sched_setaffinity(None, &cores)?)
}

/// Returns an error: this system pins no threads.
///
/// # Errors
/// Always.
#[cfg(not(target_os = "linux"))]
pub fn pin(_core: usize) -> Result<()> {
    Err(std::io::ErrorKind::Unsupported.into())
}
