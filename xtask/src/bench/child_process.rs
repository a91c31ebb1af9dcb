//! Runs a child process and measures its CPU time and memory.

use anyhow::{Context, Result, bail};
use std::path::Path;
use std::process::{Command, Stdio};
use wait4::Wait4;

/// Output and resource usage of one child process.
#[derive(Debug)]
pub(crate) struct ProcessResult {
    pub(crate) stdout: String,
    /// CPU seconds, user and system.
    pub(crate) seconds: f64,
    /// Peak resident memory in bytes.
    pub(crate) peak_memory: u64,
}

/// Runs a command to its end. Its standard error is inherited.
///
/// Between fork and exec, Linux counts the parent's memory as the child's, so this process must
/// stay small: it never opens a database or an export itself.
pub(crate) fn run(command: &mut Command) -> Result<ProcessResult> {
    let shown = Path::new(command.get_program()).display().to_string();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("could not start {shown}"))?;
    let printed = child.stdout.take().map(std::io::read_to_string).transpose()?.unwrap_or_default();
    let ended = child.wait4().with_context(|| format!("waiting for {shown}"))?;
    if !ended.status.success() {
        bail!("{shown} failed: {}\n{printed}", ended.status);
    }
    let seconds = (ended.rusage.utime + ended.rusage.stime).as_secs_f64();
    Ok(ProcessResult { stdout: printed, seconds, peak_memory: ended.rusage.maxrss })
}
