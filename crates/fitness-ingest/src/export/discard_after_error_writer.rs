//! A writer that returns its first error once and ignores everything after it.

use std::io::{self, ErrorKind, Seek, SeekFrom, Write};

/// After its first error it discards everything without an error. A dropped `ZipWriter` still
/// writes its end, and would print the error a second time.
#[derive(Debug)]
pub(super) struct DiscardAfterErrorWriter<W> {
    out: W,
    position: u64,
    end: u64,
    failed: bool,
}

impl<W> DiscardAfterErrorWriter<W> {
    pub(super) const fn new(out: W) -> Self {
        Self { out, position: 0, end: 0, failed: false }
    }

    /// The inner writer, if nothing failed.
    pub(super) fn into_complete(self) -> Option<W> {
        (!self.failed).then_some(self.out)
    }

    fn track_failure<T>(&mut self, done: io::Result<T>) -> io::Result<T> {
        self.failed = done.as_ref().is_err_and(|why| why.kind() != ErrorKind::Interrupted);
        done
    }

    fn set_position(&mut self, at: u64) {
        self.position = at;
        self.end = self.end.max(at);
    }
}

impl<W: Write> Write for DiscardAfterErrorWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut taken = bytes.len();
        if !self.failed {
            let written = self.out.write(bytes);
            taken = self.track_failure(written)?;
        }
        self.set_position(self.position.saturating_add(taken as u64));
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.failed {
            return Ok(());
        }
        let flushed = self.out.flush();
        self.track_failure(flushed)
    }
}

impl<W: Seek> Seek for DiscardAfterErrorWriter<W> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = if self.failed {
            match to {
                SeekFrom::Start(at) => at,
                SeekFrom::Current(by) => self.position.saturating_add_signed(by),
                SeekFrom::End(by) => self.end.saturating_add_signed(by),
            }
        } else {
            let moved = self.out.seek(to);
            self.track_failure(moved)?
        };
        self.set_position(at);
        Ok(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    /// Fails after a number of bytes.
    struct BoundedWriter(io::Cursor<Vec<u8>>, u64);

    impl Write for BoundedWriter {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if self.0.position() + bytes.len() as u64 > self.1 {
                return Err(ErrorKind::StorageFull.into());
            }
            self.0.write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Seek for BoundedWriter {
        fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
            self.0.seek(to)
        }
    }

    #[test]
    fn zip_larger_than_the_disk_fails_at_any_size() {
        let write = |room: u64| -> Option<()> {
            let mut zip =
                ZipWriter::new(DiscardAfterErrorWriter::new(BoundedWriter(io::Cursor::default(), room)));
            for name in ["a", "b", "c"] {
                zip.start_file(name, SimpleFileOptions::default().large_file(true)).ok()?;
                zip.write_all(name.repeat(100).as_bytes()).ok()?;
            }
            zip.finish().ok()?.into_complete().map(drop)
        };
        assert!(write(10_000).is_some());
        for room in 0..300 {
            assert!(write(room).is_none(), "{room}");
        }
    }
}
