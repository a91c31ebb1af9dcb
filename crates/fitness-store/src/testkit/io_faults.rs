//! Injects file I/O errors: a C library is preloaded into a child process, and the child chooses
//! which of its operations fail.
//!
//! The child is the test itself, run again; see `tests/it/io_errors.rs`.

use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

const SOURCE: &str = include_str!("io_faults.c");
const CONTROL: &str = "FITNESS_IO_CONTROL";
const DIRECTORY: &str = "FITNESS_IO_DIRECTORY";
/// The layout of `struct control` in `io_faults.c`: calls, fail_at, failures, error, failed.
const FIELDS: usize = 5;

/// The compiled library and its control file.
#[derive(Debug)]
pub struct IoFaultLibrary {
    directory: TempDir,
}

impl IoFaultLibrary {
    /// Compiles the library; `None` where there is no C compiler or no `LD_PRELOAD`.
    ///
    /// # Panics
    /// If the temporary directory cannot be written.
    #[must_use]
    pub fn build() -> Option<Self> {
        if !cfg!(target_os = "linux") {
            return None;
        }
        let directory = TempDir::new().expect("a temporary directory can be made");
        let source = directory.path().join("io_faults.c");
        std::fs::write(&source, SOURCE).expect("the source can be written");
        std::fs::write(directory.path().join("control"), [0; 8 * FIELDS])
            .expect("the control file can be written");
        let compiled = Command::new("cc")
            .args(["-shared", "-fPIC", "-O1", "-o"])
            .args([directory.path().join("io_faults.so").as_os_str(), source.as_os_str()])
            .arg("-ldl")
            .status();
        compiled.is_ok_and(|status| status.success()).then_some(Self { directory })
    }

    /// Preloads the library into a child before it is started. Operations below `watched` are
    /// counted.
    pub fn preload(&self, child: &mut Command, watched: &Path) {
        child
            .env("LD_PRELOAD", self.directory.path().join("io_faults.so"))
            .env(CONTROL, self.control())
            .env(DIRECTORY, watched);
    }

    fn control(&self) -> PathBuf {
        self.directory.path().join("control")
    }
}

/// Used in the child to choose which operations fail.
#[derive(Debug)]
pub struct IoFaults {
    control: File,
}

#[derive(Debug, Clone, Copy)]
pub struct IoFault {
    /// First operation to fail, counted from 1.
    pub at: u64,
    /// Number of failing operations; `None` means all that follow.
    pub count: Option<u64>,
    /// For example 28 for "no space left on device".
    pub errno: i32,
}

impl IoFaults {
    /// The control file of this process; `None` without the library.
    ///
    /// # Panics
    /// If the control file cannot be opened.
    #[must_use]
    pub fn from_env() -> Option<Self> {
        let path = std::env::var_os(CONTROL)?;
        Some(Self::open(&path).expect("the control file can be opened"))
    }

    fn open(path: &OsStr) -> io::Result<Self> {
        Ok(Self { control: OpenOptions::new().read(true).write(true).open(path)? })
    }

    /// Restarts counting at 1 and injects the fault.
    ///
    /// # Panics
    /// If the control file cannot be written.
    pub fn arm(&mut self, fault: IoFault) {
        let count = fault.count.map_or(-1, |count| i64::try_from(count).expect("a small number"));
        let at = i64::try_from(fault.at).expect("a small number");
        self.write_fields([0, at, count, i64::from(fault.errno), 0]);
    }

    /// Stops injecting faults. Returns how many operations failed.
    ///
    /// # Panics
    /// If the control file cannot be read or written.
    pub fn disarm(&mut self) -> i64 {
        let mut bytes = [0; 8 * FIELDS];
        self.control.seek(SeekFrom::Start(0)).expect("the control file can be read");
        self.control.read_exact(&mut bytes).expect("the control file can be read");
        self.write_fields([0; FIELDS]);
        let (_, failed) = bytes.split_at(8 * (FIELDS - 1));
        i64::from_ne_bytes(failed.try_into().expect("eight bytes"))
    }

    fn write_fields(&mut self, fields: [i64; FIELDS]) {
        let bytes: Vec<u8> = fields.iter().flat_map(|field| field.to_ne_bytes()).collect();
        self.control.seek(SeekFrom::Start(0)).expect("the control file can be written");
        self.control.write_all(&bytes).expect("the control file can be written");
    }
}
