//! Zero-copy decoder of FIT messages. A message is its definition and its bytes; fields are decoded
//! on access, because most of a file is record messages and few of their fields are used.
//!
//! Types and sizes are those the file declares, not those of the profile. A field shorter than its
//! type is read as a number with fewer bytes; an empty one is absent.

use rustyfit::profile::typedef::MesgNum;

/// Field number of the timestamp, in every message.
pub(super) const TIMESTAMP: u8 = 253;

/// Layout of a local message type, until the file redefines it.
#[derive(Debug, Default)]
struct Definition {
    message: u16,
    big_endian: bool,
    fields: Vec<FieldLayout>,
    developer: Vec<(u8, FieldLayout)>,
    length: usize,
    /// Whether a field number occurs twice.
    has_repeated_fields: bool,
}

#[derive(Debug, Clone, Copy)]
struct FieldLayout {
    number: u8,
    kind: FieldKind,
    start: usize,
    end: usize,
}

/// Calls `take` for every message. Returns `true` if the data ends early or becomes undecodable.
pub(super) fn for_each_message(data: &[u8], mut take: impl FnMut(&Message<'_>)) -> bool {
    let mut definitions: [Option<Definition>; 16] = Default::default();
    let mut now = 0;
    let mut rest = data;
    while let Some((header, after)) = rest.split_first() {
        let mut shortened = None;
        let local = if header & 0x80 != 0 {
            // Compressed timestamp: five bits that roll over, relative to the last full one.
            now = u32::wrapping_add(now, u32::from(header & 0x1f).wrapping_sub(now) & 0x1f);
            shortened = Some(now);
            (header >> 5) & 0x03
        } else if header & 0x40 != 0 {
            let Some((definition, after)) = Definition::parse(after, header & 0x20 != 0) else { return true };
            definitions[usize::from(header & 0x0f)] = Some(definition);
            rest = after;
            continue;
        } else {
            header & 0x0f
        };
        let Some(definition) = &definitions[usize::from(local)] else { return true };
        let Some((bytes, after)) = after.split_at_checked(definition.length) else { return true };
        rest = after;
        let message = Message { definition, bytes, compressed_time: shortened };
        if let Some(time) = message.own_time() {
            now = time;
        }
        take(&message);
    }
    false
}

impl Definition {
    /// Returns the definition and the remaining bytes; `None` if it is incomplete.
    fn parse(bytes: &[u8], with_developer: bool) -> Option<(Self, &[u8])> {
        let ([_, order, a, b, count], mut rest) = bytes.split_first_chunk()?;
        let big_endian = *order != 0;
        let message = if big_endian { u16::from_be_bytes([*a, *b]) } else { u16::from_le_bytes([*a, *b]) };
        let mut definition = Self { message, big_endian, ..Self::default() };
        let mut seen = FieldNumbers::default();
        for _ in 0..*count {
            let ([number, size, kind], after) = rest.split_first_chunk()?;
            definition.has_repeated_fields |= !seen.insert(*number);
            let place = definition.add_field(*number, *size, FieldKind::from_base_type(*kind));
            definition.fields.push(place);
            rest = after;
        }
        if with_developer {
            let (count, after) = rest.split_first()?;
            rest = after;
            for _ in 0..*count {
                let ([number, size, index], after) = rest.split_first_chunk()?;
                // Its type is in an earlier field description message.
                let place = definition.add_field(*number, *size, FieldKind::Unknown);
                definition.developer.push((*index, place));
                rest = after;
            }
        }
        Some((definition, rest))
    }

    fn add_field(&mut self, number: u8, size: u8, kind: FieldKind) -> FieldLayout {
        let start = self.length;
        self.length += usize::from(size);
        FieldLayout { number, kind, start, end: self.length }
    }
}

/// A set of field numbers.
#[derive(Debug, Default)]
pub(super) struct FieldNumbers([u64; 4]);

impl FieldNumbers {
    /// Returns `false` if the number was there.
    pub(super) fn insert(&mut self, number: u8) -> bool {
        let (word, bit) = (&mut self.0[usize::from(number / 64)], 1 << (number % 64));
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }
}

#[derive(Debug)]
pub(super) struct Message<'a> {
    definition: &'a Definition,
    bytes: &'a [u8],
    /// Timestamp from a compressed header.
    compressed_time: Option<u32>,
}

impl<'a> Message<'a> {
    pub(super) const fn number(&self) -> MesgNum {
        MesgNum(self.definition.message)
    }

    /// Timestamp; that of a compressed header wins.
    pub(super) fn time(&self) -> Option<u32> {
        self.compressed_time.or_else(|| self.own_time())
    }

    fn own_time(&self) -> Option<u32> {
        self.field(TIMESTAMP)?.integer().and_then(|time| u32::try_from(time).ok())
    }

    /// The field with this number; of several the last one with a value, as in Garmin's SDK.
    pub(super) fn field(&self, number: u8) -> Option<Field<'a>> {
        let mut places = self.definition.fields.iter().filter(|place| place.number == number);
        if !self.definition.has_repeated_fields {
            return places.next().map(|place| self.field_at(place));
        }
        let fields = places.map(|place| self.field_at(place));
        fields.reduce(|earlier, later| if later.is_invalid() { earlier } else { later })
    }

    /// Whether a field number occurs twice.
    pub(super) const fn has_repeated_fields(&self) -> bool {
        self.definition.has_repeated_fields
    }

    pub(super) fn fields(&self) -> impl Iterator<Item = (u8, Field<'a>)> {
        self.definition.fields.iter().map(|place| (place.number, self.field_at(place)))
    }

    /// Developer fields with developer index and field number.
    pub(super) fn developer_fields(&self) -> impl Iterator<Item = (u8, u8, Field<'a>)> {
        self.definition.developer.iter().map(|(index, place)| (*index, place.number, self.field_at(place)))
    }

    fn field_at(&self, place: &FieldLayout) -> Field<'a> {
        // In bounds: offsets are within the definition's length, and the message has that length.
        let bytes = self.bytes.get(place.start..place.end).unwrap_or_default();
        Field { bytes, kind: place.kind, big_endian: self.definition.big_endian }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FieldKind {
    Signed(u8),
    Unsigned(u8),
    /// Unsigned, with zero as the invalid value.
    NonZero(u8),
    Float,
    Double,
    Text,
    Unknown,
}

impl FieldKind {
    /// Ignores the upper bits of the base type, which not every device sets.
    pub(super) const fn from_base_type(base_type: u8) -> Self {
        match base_type & 0x1f {
            0x00 | 0x02 | 0x0d => Self::Unsigned(1),
            0x01 => Self::Signed(1),
            0x03 => Self::Signed(2),
            0x04 => Self::Unsigned(2),
            0x05 => Self::Signed(4),
            0x06 => Self::Unsigned(4),
            0x07 => Self::Text,
            0x08 => Self::Float,
            0x09 => Self::Double,
            0x0a => Self::NonZero(1),
            0x0b => Self::NonZero(2),
            0x0c => Self::NonZero(4),
            0x0e => Self::Signed(8),
            0x0f => Self::Unsigned(8),
            0x10 => Self::NonZero(8),
            _ => Self::Unknown,
        }
    }

    const fn width(self) -> usize {
        match self {
            Self::Signed(width) | Self::Unsigned(width) | Self::NonZero(width) => width as usize,
            Self::Float => 4,
            Self::Double => 8,
            Self::Text | Self::Unknown => 1,
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Field<'a> {
    pub(super) bytes: &'a [u8],
    kind: FieldKind,
    big_endian: bool,
}

impl<'a> Field<'a> {
    /// The same bytes with another type, for developer fields.
    pub(super) const fn as_kind(self, kind: FieldKind) -> Self {
        Self { kind, ..self }
    }

    /// The first number; `None` for FIT's invalid value.
    pub(super) fn integer(self) -> Option<i64> {
        let width = self.kind.width();
        let raw = self.raw(width)?;
        let highest = u64::MAX >> (64 - 8 * width);
        match self.kind {
            FieldKind::Unsigned(_) if raw != highest => i64::try_from(raw).ok(),
            FieldKind::NonZero(_) if raw != 0 => i64::try_from(raw).ok(),
            FieldKind::Signed(_) if raw != highest >> 1 => {
                let unused = 64 - 8 * width;
                Some((raw << unused).cast_signed() >> unused)
            }
            FieldKind::Float | FieldKind::Double => from_float(self.fraction()?),
            _ => None,
        }
    }

    /// The first number, also a floating-point one.
    pub(super) fn number(self) -> Option<f64> {
        if self.bytes.len() > self.kind.width() {
            return None;
        }
        match self.kind {
            FieldKind::Float | FieldKind::Double => self.fraction(),
            _ => self.integer().map(|value| value as f64),
        }
    }

    /// Whether it has no value.
    fn is_invalid(self) -> bool {
        match self.kind {
            FieldKind::Text => self.bytes.first().is_none_or(|byte| *byte == 0),
            _ => self.integers().next().is_none(),
        }
    }

    /// All numbers except invalid values.
    pub(super) fn integers(self) -> impl Iterator<Item = i64> {
        self.bytes.chunks(self.kind.width()).filter_map(move |bytes| Self { bytes, ..self }.integer())
    }

    pub(super) fn strings(self) -> impl Iterator<Item = std::borrow::Cow<'a, str>> {
        let bytes = if self.kind == FieldKind::Text { self.bytes } else { &[] };
        bytes.split(|byte| *byte == 0).map(String::from_utf8_lossy)
    }

    fn fraction(self) -> Option<f64> {
        let raw = self.raw(self.kind.width())?;
        let number = match self.kind {
            FieldKind::Float => f64::from(f32::from_bits(u32::try_from(raw).ok()?)),
            _ => f64::from_bits(raw),
        };
        number.is_finite().then_some(number)
    }

    /// The first `width` bytes as an unsigned number.
    fn raw(self, width: usize) -> Option<u64> {
        let bytes = self.bytes.get(..width).unwrap_or(self.bytes);
        let swapped = self.big_endian;
        Some(match *bytes {
            [] => return None,
            [a] => u64::from(a),
            [a, b] => {
                u64::from(if swapped { u16::from_be_bytes([a, b]) } else { u16::from_le_bytes([a, b]) })
            }
            [a, b, c, d] => {
                let four = [a, b, c, d];
                u64::from(if swapped { u32::from_be_bytes(four) } else { u32::from_le_bytes(four) })
            }
            _ => {
                let add = |number: u64, byte: &u8| (number << 8) | u64::from(*byte);
                if swapped { bytes.iter().fold(0, add) } else { bytes.iter().rev().fold(0, add) }
            }
        })
    }
}

#[expect(clippy::cast_possible_truncation, reason = "bounded just before")]
fn from_float(value: f64) -> Option<i64> {
    (value.abs() < 1e15).then(|| value.round() as i64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono_tz::Tz;
    use fitness_demo::DemoAthlete;
    use rustyfit::proto::Value;
    use rustyfit::{Decoder, DecoderEvent, StreamingIterator};

    /// The file as decoded by rustyfit: each message's number, and its integer fields.
    fn read_by_another(file: &[u8]) -> Vec<(u16, Vec<(u8, i64)>)> {
        let mut decoder = Decoder::builder().expand_components(false).build();
        let mut stream = decoder.stream(file);
        let mut messages = Vec::new();
        while let Some(event) = stream.next() {
            let DecoderEvent::Message(message) = event.unwrap() else { continue };
            let number = |value: &Value| match value {
                Value::Int8(v) if *v != i8::MAX => Some(i64::from(*v)),
                Value::Uint16(v) if *v != u16::MAX => Some(i64::from(*v)),
                Value::Int32(v) if *v != i32::MAX => Some(i64::from(*v)),
                Value::Uint32(v) if *v != u32::MAX => Some(i64::from(*v)),
                _ => None,
            };
            let fields = message.fields.iter().filter_map(|f| Some((f.num, number(&f.value)?))).collect();
            messages.push((message.num.0, fields));
        }
        messages
    }

    #[test]
    fn decoded_season_equals_rustyfit() {
        let demo = DemoAthlete {
            weeks: 2,
            ..DemoAthlete::new(1, "2026-11-15".parse().unwrap(), Tz::Europe__Zurich)
        };
        let mut compared = 0;
        for file in demo.files() {
            let (_, file) = file.unwrap();
            let theirs = read_by_another(&file);
            let mut theirs = theirs.iter();
            let header = usize::from(file[0]);
            let broken = for_each_message(&file[header..file.len() - 2], |message| {
                let (number, fields) = theirs.next().unwrap();
                assert_eq!(message.number(), MesgNum(*number));
                for (field, value) in fields {
                    assert_eq!(message.field(*field).unwrap().integer(), Some(*value), "{number} {field}");
                    compared += 1;
                }
            });
            assert!(!broken && theirs.next().is_none());
        }
        assert!(compared > 100_000, "{compared}");
    }

    #[test]
    fn number_has_the_declared_type_and_size() {
        let field = |kind: u8, bytes: &'static [u8], big_endian| Field {
            bytes,
            kind: FieldKind::from_base_type(kind),
            big_endian,
        };
        for (kind, bytes, value) in [
            (0x02, &[7][..], Some(7)),
            (0x02, &[0xff], None),
            (0x0a, &[0xff], Some(255)),
            (0x0a, &[0], None),
            (0x01, &[0x80], Some(-128)),
            (0x01, &[0x7f], None),
            (0x83, &[0xfe, 0xff], Some(-2)),
            (0x84, &[1, 2], Some(0x201)),
            (0x04, &[1, 2], Some(0x201)),
            // The first of several, fewer bytes than the type, no bytes.
            (0x84, &[1, 2, 3, 4], Some(0x201)),
            (0x86, &[1, 2, 3], Some(0x3_0201)),
            (0x84, &[], None),
            (0x8e, &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], Some(-1)),
            (0x8f, &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f], Some(i64::MAX)),
            (0x8f, &[0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], None),
            (0x88, &[0, 0, 0x20, 0x40], Some(3)),
            (0x88, &[0, 0, 0xc0, 0x7f], None),
            (0x07, b"7", None),
            (0x1f, &[7], None),
        ] {
            assert_eq!(field(kind, bytes, false).integer(), value, "{kind:#x} {bytes:?}");
        }
        assert_eq!(field(0x84, &[1, 2], true).integer(), Some(0x102));
        assert_eq!(field(0x86, &[1, 2, 3], true).integer(), Some(0x1_0203));
        let beats = field(0x84, &[1, 0, 0xff, 0xff, 3, 0], false);
        assert_eq!(beats.integers().collect::<Vec<_>>(), [1, 3]);
    }

    #[test]
    fn messages_before_an_undefined_type_are_kept() {
        // A record of one byte, twice; then an undefined message type.
        let data = [0x40, 0, 0, 20, 0, 1, 3, 1, 2, 0, 120, 0, 121, 5, 0, 122];
        let mut rates = Vec::new();
        let broken =
            for_each_message(&data, |message| rates.extend(message.field(3).and_then(Field::integer)));
        assert!(broken);
        assert_eq!(rates, [120, 121]);
        assert!(for_each_message(&data[..8], |_| {}), "half a definition");
        assert!(for_each_message(&data[..10], |_| {}), "half a message");
        assert!(!for_each_message(&data[..11], |_| {}) && !for_each_message(&[], |_| {}));
    }

    #[test]
    fn compressed_timestamp_rolls_over() {
        let mut data = vec![0x40, 0, 0, 20, 0, 1, 253, 4, 0x86, 0x41, 0, 0, 20, 0, 1, 3, 1, 2, 0];
        data.extend(1_130_000_030_u32.to_le_bytes());
        // The full timestamp is 30 modulo 32; 31 is one second later, 2 is four.
        assert_eq!(1_130_000_030 % 32, 30);
        data.extend([0x80 | (1 << 5) | 31, 120, 0x80 | (1 << 5) | 2, 121]);
        let mut times = Vec::new();
        assert!(!for_each_message(&data, |message| times.extend(message.time())));
        assert_eq!(times, [1_130_000_030, 1_130_000_031, 1_130_000_034]);
    }
}
