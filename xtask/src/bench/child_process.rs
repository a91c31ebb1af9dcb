//! Children whose processor time and memory are told by the system when they end.

use anyhow::{Context, Result, bail};
use std::path::Path;
use std::process::{Command, Stdio};
use wait4::Wait4;

/// What a program printed and what it took. The figures are this child's alone.
#[derive(Debug)]
pub(crate) struct ProcessResult {
    pub(crate) stdout: String,
    /// Processor seconds, of the program and of the system for it.
    pub(crate) seconds: f64,
    /// The most memory it held at once, in bytes.
    pub(crate) peak_memory: u64,
}

/// Runs a command to its end; what it says on standard error is the reader's.
///
/// Linux counts the memory of whoever starts a child as the child's own until the child has become its program, so
/// this process must stay small: it never opens a database or an export itself.
pub(crate) fn run(command: &mut Command) -> Result<ProcessResult> {
    let shown = Path::new(command.get_program()).display().to_string();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {shown}"))?;
    let printed = child.stdout.take().map(std::io::read_to_string).transpose()?.unwrap_or_default();
    let ended = child.wait4().with_context(|| format!("waiting for {shown}"))?;
    if !ended.status.success() {
        bail!("{shown} failed: {}\n{printed}", ended.status);
    }
    let seconds = (ended.rusage.utime + ended.rusage.stime).as_secs_f64();
    Ok(ProcessResult { stdout: printed, seconds, peak_memory: ended.rusage.maxrss })
}
