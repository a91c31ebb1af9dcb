//! A writer that fails once.

use std::io::{self, ErrorKind, Seek, SeekFrom, Write};

/// After its first failure it takes everything and keeps nothing. A ZIP that is given up is ended by whoever writes it all the
/// same, and would tell the terminal a second time that it cannot.
#[derive(Debug)]
pub(super) struct Once<W> {
    out: W,
    at: u64,
    end: u64,
    failed: bool,
}

impl<W> Once<W> {
    pub(super) const fn new(out: W) -> Self {
        Self { out, at: 0, end: 0, failed: false }
    }

    /// What was written, if all of it was.
    pub(super) fn whole(self) -> Option<W> {
        (!self.failed).then_some(self.out)
    }

    fn note<T>(&mut self, done: io::Result<T>) -> io::Result<T> {
        self.failed = done.as_ref().is_err_and(|why| why.kind() != ErrorKind::Interrupted);
        done
    }

    fn moved_to(&mut self, at: u64) {
        self.at = at;
        self.end = self.end.max(at);
    }
}

impl<W: Write> Write for Once<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut taken = bytes.len();
        if !self.failed {
            let written = self.out.write(bytes);
            taken = self.note(written)?;
        }
        self.moved_to(self.at.saturating_add(taken as u64));
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.failed {
            return Ok(());
        }
        let flushed = self.out.flush();
        self.note(flushed)
    }
}

impl<W: Seek> Seek for Once<W> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = if self.failed {
            match to {
                SeekFrom::Start(at) => at,
                SeekFrom::Current(by) => self.at.saturating_add_signed(by),
                SeekFrom::End(by) => self.end.saturating_add_signed(by),
            }
        } else {
            let moved = self.out.seek(to);
            self.note(moved)?
        };
        self.moved_to(at);
        Ok(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    /// Takes so many bytes and no more.
    struct Small(io::Cursor<Vec<u8>>, u64);

    impl Write for Small {
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

    impl Seek for Small {
        fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
            self.0.seek(to)
        }
    }

    #[test]
    fn a_zip_that_does_not_fit_fails_wherever_that_is_noticed() {
        let write = |room: u64| -> Option<()> {
            let mut zip = ZipWriter::new(Once::new(Small(io::Cursor::default(), room)));
            for name in ["a", "b", "c"] {
                zip.start_file(name, SimpleFileOptions::default().large_file(true)).ok()?;
                zip.write_all(name.repeat(100).as_bytes()).ok()?;
            }
            zip.finish().ok()?.whole().map(drop)
        };
        assert!(write(10_000).is_some());
        for room in 0..300 {
            assert!(write(room).is_none(), "{room}");
        }
    }
}
