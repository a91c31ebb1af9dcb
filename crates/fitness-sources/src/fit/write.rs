//! Writes FIT files with rustyfit's encoder.

use embedded_io::SeekFrom;
use rustyfit::proto::Message;
use rustyfit::{Encoder, HeaderOption, StreamEncoder};
use std::convert::Infallible;
use std::io;

pub struct FitWriter<'a>(StreamEncoder<'a, SeekableBuffer<'a>>);

impl FitWriter<'_> {
    /// Builds a file from the messages that `fill` writes.
    pub fn build(
        size: usize,
        fill: impl FnOnce(&mut FitWriter<'_>) -> io::Result<()>,
    ) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::with_capacity(size);
        // The maximum number of local message types, so that definitions are written once.
        let mut encoder = Encoder::builder().header_option(HeaderOption::Normal(15)).build();
        let mut file = FitWriter(encoder.stream(SeekableBuffer { bytes: &mut bytes, position: 0 }));
        fill(&mut file)?;
        file.0.finish().map_err(io::Error::other)?;
        Ok(bytes)
    }

    pub fn write_message(&mut self, message: impl Into<Message>) -> io::Result<()> {
        self.write(&mut message.into())
    }

    /// For a message value that the caller reuses.
    pub fn write(&mut self, message: &mut Message) -> io::Result<()> {
        self.0.write_message(message).map_err(io::Error::other)
    }
}

/// A seekable buffer: the encoder writes the header last.
struct SeekableBuffer<'a> {
    bytes: &'a mut Vec<u8>,
    position: usize,
}

impl embedded_io::ErrorType for SeekableBuffer<'_> {
    type Error = Infallible;
}

impl embedded_io::Write for SeekableBuffer<'_> {
    fn write(&mut self, new: &[u8]) -> Result<usize, Infallible> {
        let over = (self.bytes.len() - self.position).min(new.len());
        self.bytes[self.position..self.position + over].copy_from_slice(&new[..over]);
        self.bytes.extend_from_slice(&new[over..]);
        self.position += new.len();
        Ok(new.len())
    }

    fn flush(&mut self) -> Result<(), Infallible> {
        Ok(())
    }
}

impl embedded_io::Seek for SeekableBuffer<'_> {
    fn seek(&mut self, to: SeekFrom) -> Result<u64, Infallible> {
        let (from, by) = match to {
            SeekFrom::Start(at) => (0, at.cast_signed()),
            SeekFrom::Current(by) => (self.position, by),
            SeekFrom::End(by) => (self.bytes.len(), by),
        };
        let at = usize::try_from(by)
            .map_or_else(|_| from.saturating_sub(by.unsigned_abs() as usize), |by| from + by);
        self.position = at.min(self.bytes.len());
        Ok(self.position as u64)
    }
}
