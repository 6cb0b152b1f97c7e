//! A disk in memory that fails where a test says, and loses what is not durable when the power is cut.

use std::boxed::Box;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::vec::Vec;

use crate::guard::journal::disk::{Disk, DiskFile, Lock};

const SECTOR: usize = 512;

/// What happens at one operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It fails and has no effect. What a failed synchronisation did not write is never written, although the next one
    /// succeeds: Linux behaves so.
    Fails,
    /// It has its effect, and fails.
    FailsAfterwards,
    /// A write stops after this number of bytes and fails.
    Stops(usize),
    /// The process ends before it.
    Ends,
    /// The process ends after this number of bytes of a write.
    EndsAt(usize),
}

/// What a power cut leaves of everything that is not durable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Survival {
    /// All of it: only the process ended.
    Everything,
    /// Nothing.
    Nothing,
    /// The names of files.
    Names,
    /// The contents of files.
    Contents,
    /// The lengths of files; the bytes are zero.
    Lengths,
    /// Of bytes that are not durable, those before the next sector; the others are zero.
    FirstSector,
    /// Of bytes that are not durable, those from the next sector on; the others are zero.
    LastSector,
}

pub(crate) const SURVIVALS: [Survival; 7] = [
    Survival::Everything,
    Survival::Nothing,
    Survival::Names,
    Survival::Contents,
    Survival::Lengths,
    Survival::FirstSector,
    Survival::LastSector,
];

#[derive(Clone, Debug, Default)]
struct Content {
    live: Vec<u8>,
    durable: Vec<u8>,
    /// Number of bytes that a failed synchronisation lost; everything behind them in the file is lost, too.
    is_lossy: bool,
}

#[derive(Debug, Default)]
struct State {
    files: Vec<Content>,
    live: BTreeMap<PathBuf, usize>,
    durable: BTreeMap<PathBuf, usize>,
    locked: BTreeSet<PathBuf>,
    /// Lengths of all writes so far; other operations have none.
    operations: Vec<Option<usize>>,
    fault: Option<(usize, Fault)>,
    has_ended: bool,
}

/// A disk, whose clones are the same disk.
#[derive(Clone, Debug, Default)]
pub(crate) struct ModelDisk(Arc<Mutex<State>>);

impl ModelDisk {
    pub(crate) fn set_fault(&self, at: usize, fault: Fault) {
        self.0.lock().unwrap().fault = Some((at, fault));
    }

    /// The operations so far; a write has its length.
    pub(crate) fn operations(&self) -> Vec<Option<usize>> {
        self.0.lock().unwrap().operations.clone()
    }

    /// Ends the process and cuts the power; then starts again, without faults.
    pub(crate) fn restart(&self, survival: Survival) {
        let mut state = self.0.lock().unwrap();
        (state.fault, state.has_ended) = (None, false);
        state.locked.clear();
        if matches!(survival, Survival::Nothing | Survival::Contents) {
            state.live = state.durable.clone();
        }
        for file in &mut state.files {
            file.survive(survival);
        }
        state.durable = state.live.clone();
    }

    /// Changes the bytes of a file.
    pub(crate) fn edit(&self, path: &str, edit: impl FnOnce(&mut Vec<u8>)) {
        let mut state = self.0.lock().unwrap();
        let id = state.live[Path::new(path)];
        edit(&mut state.files[id].live);
        state.files[id].durable = state.files[id].live.clone();
    }

    pub(crate) fn content(&self, path: &str) -> Vec<u8> {
        let state = self.0.lock().unwrap();
        state.files[state.live[Path::new(path)]].live.clone()
    }

    pub(crate) fn remove(&self, path: &str) {
        self.0.lock().unwrap().live.remove(Path::new(path)).unwrap();
    }

    pub(crate) fn has(&self, path: &str) -> bool {
        self.0.lock().unwrap().live.contains_key(Path::new(path))
    }

    fn next(&self, len: Option<usize>) -> io::Result<(std::sync::MutexGuard<'_, State>, Option<Fault>)> {
        let mut state = self.0.lock().unwrap();
        let number = state.operations.len();
        state.operations.push(len);
        let fault = state.fault.filter(|(at, _)| *at == number).map(|(_, fault)| fault);
        state.has_ended |= matches!(fault, Some(Fault::Ends | Fault::EndsAt(_)));
        match fault {
            Some(Fault::Ends) => Err(ErrorKind::Interrupted.into()),
            None if state.has_ended => Err(ErrorKind::Interrupted.into()),
            _ => Ok((state, fault)),
        }
    }

    /// Runs an operation that has its effect as a whole.
    fn whole<T>(&self, run: impl FnOnce(&mut State) -> io::Result<T>) -> io::Result<T> {
        let (mut state, fault) = self.next(None)?;
        match fault {
            None => run(&mut state),
            Some(Fault::FailsAfterwards) => {
                let done = run(&mut state);
                // A lock is released below, which takes the state again.
                drop(state);
                done.and(Err(ErrorKind::Other.into()))
            }
            Some(_) => Err(ErrorKind::Other.into()),
        }
    }
}

impl Content {
    fn survive(&mut self, survival: Survival) {
        let known = self.durable.len().min(self.live.len());
        let sector = known.next_multiple_of(SECTOR);
        match survival {
            Survival::Everything => {}
            Survival::Nothing | Survival::Names => self.live = self.durable.clone(),
            Survival::Contents if self.is_lossy => self.live = self.durable.clone(),
            Survival::Contents => {}
            Survival::Lengths => self.live.iter_mut().skip(known).for_each(|byte| *byte = 0),
            Survival::FirstSector => self.live.iter_mut().skip(sector).for_each(|byte| *byte = 0),
            Survival::LastSector => {
                self.live.iter_mut().take(sector).skip(known).for_each(|byte| *byte = 0);
            }
        }
        self.durable = self.live.clone();
        self.is_lossy = false;
    }
}

impl Disk for ModelDisk {
    fn absolute(&self, path: &Path) -> io::Result<PathBuf> {
        Ok(path.to_owned())
    }

    fn create_directory(&self, _: &Path) -> io::Result<()> {
        self.whole(|_| Ok(()))
    }

    fn lock(&self, path: &Path) -> io::Result<Option<Lock>> {
        let disk = self.clone();
        self.whole(|state| {
            let is_free = state.locked.insert(path.to_owned());
            Ok(is_free.then(|| Box::new(ModelLock { disk, path: path.to_owned() }) as Lock))
        })
    }

    fn exists(&self, path: &Path) -> io::Result<bool> {
        self.whole(|state| Ok(state.live.keys().any(|known| known.starts_with(path))))
    }

    fn names(&self, directory: &Path) -> io::Result<Vec<OsString>> {
        self.whole(|state| {
            let names = state.live.keys().filter_map(|path| path.strip_prefix(directory).ok());
            Ok(names.map(|name| name.as_os_str().to_owned()).collect())
        })
    }

    fn read(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        self.whole(|state| match state.live.get(path) {
            Some(id) => Ok(state.files[*id].live.iter().copied().take(limit as usize).collect()),
            None => Err(ErrorKind::NotFound.into()),
        })
    }

    fn create(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        let disk = self.clone();
        self.whole(|state| {
            // A file that is emptied loses its durable content at some time; it is a new one here.
            let id = state.files.len();
            state.files.push(Content::default());
            state.live.insert(path.to_owned(), id);
            Ok(Box::new(ModelFile { disk, id }) as Box<dyn DiskFile>)
        })
    }

    fn link(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.whole(|state| {
            let id = *state.live.get(from).ok_or(ErrorKind::NotFound)?;
            match state.live.insert(to.to_owned(), id) {
                None => Ok(()),
                Some(_) => panic!("{to:?} is not free"),
            }
        })
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.whole(|state| {
            let id = state.live.remove(from).ok_or(ErrorKind::NotFound)?;
            state.live.insert(to.to_owned(), id);
            Ok(())
        })
    }

    fn sync_directory(&self, _: &Path) -> io::Result<()> {
        self.whole(|state| {
            state.durable = state.live.clone();
            Ok(())
        })
    }
}

struct ModelFile {
    disk: ModelDisk,
    id: usize,
}

impl DiskFile for ModelFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let (mut state, fault) = self.disk.next(Some(bytes.len()))?;
        let written = match fault {
            Some(Fault::Stops(written) | Fault::EndsAt(written)) => written.min(bytes.len()),
            Some(Fault::Fails) => 0,
            _ => bytes.len(),
        };
        state.files[self.id].live.extend(&bytes[..written]);
        if fault.is_some() { Err(ErrorKind::StorageFull.into()) } else { Ok(()) }
    }

    fn sync(&mut self) -> io::Result<()> {
        let (mut state, fault) = self.disk.next(None)?;
        let file = &mut state.files[self.id];
        match fault {
            None | Some(Fault::FailsAfterwards) => {
                if !file.is_lossy {
                    file.durable = file.live.clone();
                }
            }
            Some(_) => file.is_lossy = true,
        }
        if fault.is_some() { Err(ErrorKind::Other.into()) } else { Ok(()) }
    }
}

struct ModelLock {
    disk: ModelDisk,
    path: PathBuf,
}

impl Drop for ModelLock {
    fn drop(&mut self) {
        self.disk.0.lock().unwrap().locked.remove(&self.path);
    }
}
