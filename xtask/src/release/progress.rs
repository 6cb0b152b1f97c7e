//! Records of the steps of a release that passed, with hashes of the files that they made or used. `--resume` reads them, so
//! that a failure late in a run does not repeat the hours before it.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use crate::bindings::generated;
use crate::fingerprint::{Fingerprint, hash_of};
use crate::process::Outcome;
use crate::workspace;

/// All that the packages are made from. This program does not count: otherwise no mend of it could be resumed.
const SOURCES: Fingerprint = Fingerprint {
    name: "release",
    inputs: &["core", "bindings", "Cargo.toml", "Cargo.lock", "LICENSE-APACHE", "LICENSE-MIT"],
};
/// File with the sources and variables that all records of the folder are for.
const SOURCES_FILE: &str = "sources";

/// The result of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Passed {
    /// Text for the step's line.
    pub(super) text: String,
    /// Files that it made or used. If one of them changes, the step runs again.
    pub(super) files: Vec<PathBuf>,
}

/// The records of a run.
#[derive(Clone, Debug)]
pub(super) struct Progress {
    folder: PathBuf,
    resumes: bool,
}

impl Progress {
    /// Begins a run. With `resume` it continues earlier ones, if the sources and variables are the same; otherwise the records
    /// are deleted.
    pub(super) fn begin(resume: bool) -> Outcome<Self> {
        // Cargo's profiles can be changed by variables.
        let mut variables: Vec<String> = env::vars()
            .filter(|(name, _)| name.starts_with("CARGO_PROFILE_") || name == "RUSTFLAGS")
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        variables.sort();
        let key: Vec<String> = [SOURCES.contents()?].into_iter().chain(variables).collect();
        Self::in_folder(workspace::target("xtask/release/passed"), &key.join("\n"), resume)
    }

    fn in_folder(folder: PathBuf, key: &str, resume: bool) -> Outcome<Self> {
        let file = folder.join(SOURCES_FILE);
        let resumes = resume && fs::read_to_string(&file).is_ok_and(|last| last == key);
        if !resumes {
            let _ = fs::remove_dir_all(&folder);
            generated::put(&file, key)?;
        }
        Ok(Self { folder, resumes })
    }

    /// Returns true if this run continues earlier ones.
    pub(super) fn resumes(&self) -> bool {
        self.resumes
    }

    /// Does the work of a step, unless the run continues one in which the step passed with these settings, and its files
    /// are unchanged.
    pub(super) fn unless_passed(
        &self,
        step: &str,
        settings: &str,
        work: impl FnOnce() -> Outcome<Passed>,
    ) -> Outcome<Passed> {
        let record = self.folder.join(step.replace(' ', "-"));
        if let Some(mut passed) = recorded(&record, settings).filter(|_| self.resumes) {
            passed.text += " (in an earlier run)";
            return Ok(passed);
        }
        let passed = work()?;
        let paths = passed.files.iter().map(|file| file.display().to_string());
        let lines = [hash_of(&passed.files)?, settings.to_owned(), passed.text.replace('\n', " ")];
        let lines: Vec<String> = lines.into_iter().chain(paths).collect();
        generated::put(&record, &lines.join("\n"))?;
        Ok(passed)
    }
}

/// The result in a record; `None` if there is none with these settings, or if a file changed since.
fn recorded(record: &Path, settings: &str) -> Option<Passed> {
    let content = fs::read_to_string(record).ok()?;
    let mut lines = content.lines();
    let (hash, made_with, text) = (lines.next()?, lines.next()?, lines.next()?.to_owned());
    let files: Vec<PathBuf> = lines.map(PathBuf::from).collect();
    (made_with == settings && hash_of(&files).ok()? == hash).then_some(Passed { text, files })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begin(key: &str, resume: bool) -> Progress {
        Progress::in_folder(workspace::target("xtask/unit/progress/passed"), key, resume).unwrap()
    }

    #[test]
    fn a_resumed_run_repeats_only_what_did_not_pass_or_changed() {
        let file = workspace::target("xtask/unit/progress/file");
        generated::put(&file, "one").unwrap();
        let passes = || Ok(Passed { text: "ran".to_owned(), files: vec![file.clone()] });
        let text = |progress: &Progress| progress.unless_passed("a step", "x", passes).unwrap().text;
        let first = begin("sources", false);
        first.unless_passed("a step", "x", || Err("broken".to_owned())).unwrap_err();
        assert_eq!(text(&first), "ran");
        assert_eq!(text(&first), "ran", "without --resume");

        let resumed = begin("sources", true);
        let passed = resumed.unless_passed("a step", "x", || Err("must not run".to_owned())).unwrap();
        assert_eq!(passed, Passed { text: "ran (in an earlier run)".to_owned(), files: vec![file.clone()] });
        assert_eq!(resumed.unless_passed("other", "x", passes).unwrap().text, "ran");
        assert_eq!(resumed.unless_passed("a step", "y", passes).unwrap().text, "ran", "other settings");

        text(&resumed);
        fs::write(&file, "two").unwrap();
        assert_eq!(text(&resumed), "ran", "its file changed");
        assert!(!begin("other sources", true).resumes());
        assert!(!begin("other sources", false).resumes());
    }
}
