//! From the data of a sequence to its messages, without copying: a message is its definition and its bytes, and a
//! field is decoded when somebody asks for it. Files are mostly records, and few of a record's fields are asked for.
//!
//! Types and sizes are those the file declares, not those of the profile: a device that writes a field narrower than
//! others do says so. A field that is shorter than its type is taken for a number with fewer bytes; one without any
//! bytes is absent.

use rustyfit::profile::typedef::MesgNum;

/// The field that is a message's time, in every message.
pub(super) const TIMESTAMP: u8 = 253;

/// How messages of one kind are laid out, until it is defined anew.
#[derive(Debug, Default)]
struct Definition {
    message: u16,
    big_endian: bool,
    fields: Vec<FieldLayout>,
    developer: Vec<(u8, FieldLayout)>,
    length: usize,
}

/// A field within its message.
#[derive(Debug, Clone, Copy)]
struct FieldLayout {
    number: u8,
    kind: FieldKind,
    start: usize,
    end: usize,
}

/// Hands every message over; `true` when the data breaks off, or cannot be understood from somewhere on.
pub(super) fn for_each_message(data: &[u8], mut take: impl FnMut(&Message<'_>)) -> bool {
    let mut definitions: [Option<Definition>; 16] = Default::default();
    let mut now = 0;
    let mut rest = data;
    while let Some((header, after)) = rest.split_first() {
        let mut shortened = None;
        let local = if header & 0x80 != 0 {
            // The time since the last whole one, in five bits that count up and over.
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
    /// Reads a definition, and what follows it; `None` when it breaks off.
    fn parse(bytes: &[u8], with_developer: bool) -> Option<(Self, &[u8])> {
        let ([_, order, a, b, count], mut rest) = bytes.split_first_chunk()?;
        let big_endian = *order != 0;
        let message = if big_endian { u16::from_be_bytes([*a, *b]) } else { u16::from_le_bytes([*a, *b]) };
        let mut definition = Self { message, big_endian, ..Self::default() };
        for _ in 0..*count {
            let ([number, size, kind], after) = rest.split_first_chunk()?;
            let place = definition.add_field(*number, *size, FieldKind::from_base_type(*kind));
            definition.fields.push(place);
            rest = after;
        }
        if with_developer {
            let (count, after) = rest.split_first()?;
            rest = after;
            for _ in 0..*count {
                let ([number, size, index], after) = rest.split_first_chunk()?;
                // What it is was said in a message before.
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

/// One message.
#[derive(Debug)]
pub(super) struct Message<'a> {
    definition: &'a Definition,
    bytes: &'a [u8],
    /// The time, when it stands in the header.
    compressed_time: Option<u32>,
}

impl<'a> Message<'a> {
    pub(super) const fn number(&self) -> MesgNum {
        MesgNum(self.definition.message)
    }

    /// When it was written; its header knows best.
    pub(super) fn time(&self) -> Option<u32> {
        self.compressed_time.or_else(|| self.own_time())
    }

    fn own_time(&self) -> Option<u32> {
        self.field(TIMESTAMP)?.integer().and_then(|time| u32::try_from(time).ok())
    }

    /// A field; the first where there are several of a number.
    pub(super) fn field(&self, number: u8) -> Option<Field<'a>> {
        let place = self.definition.fields.iter().find(|place| place.number == number)?;
        Some(self.field_at(place))
    }

    /// Every field with its number.
    pub(super) fn fields(&self) -> impl Iterator<Item = (u8, Field<'a>)> {
        self.definition.fields.iter().map(|place| (place.number, self.field_at(place)))
    }

    /// Every developer's field, with the number of the developer and its own.
    pub(super) fn developer_fields(&self) -> impl Iterator<Item = (u8, u8, Field<'a>)> {
        self.definition.developer.iter().map(|(index, place)| (*index, place.number, self.field_at(place)))
    }

    fn field_at(&self, place: &FieldLayout) -> Field<'a> {
        // A definition's places are within its length, and so many bytes a message has.
        let bytes = self.bytes.get(place.start..place.end).unwrap_or_default();
        Field { bytes, kind: place.kind, big_endian: self.definition.big_endian }
    }
}

/// What a field's bytes are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FieldKind {
    Signed(u8),
    Unsigned(u8),
    /// Unsigned, with zero for "not recorded".
    NonZero(u8),
    Float,
    Double,
    Text,
    Unknown,
}

impl FieldKind {
    /// A base type. Its upper bits only say whether it has an order of bytes, and not every device sets them.
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

/// A field's bytes, and what they are.
#[derive(Debug, Clone, Copy)]
pub(super) struct Field<'a> {
    pub(super) bytes: &'a [u8],
    kind: FieldKind,
    big_endian: bool,
}

impl<'a> Field<'a> {
    /// The same bytes as something else: what a developer's field is stands elsewhere.
    pub(super) const fn as_kind(self, kind: FieldKind) -> Self {
        Self { kind, ..self }
    }

    /// Its number, or the first of several; `None` where the device wrote "not recorded".
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

    /// Its one number, which may well be a fraction.
    pub(super) fn number(self) -> Option<f64> {
        if self.bytes.len() > self.kind.width() {
            return None;
        }
        match self.kind {
            FieldKind::Float | FieldKind::Double => self.fraction(),
            _ => self.integer().map(|value| value as f64),
        }
    }

    /// All its numbers, without those not recorded.
    pub(super) fn integers(self) -> impl Iterator<Item = i64> {
        self.bytes.chunks(self.kind.width()).filter_map(move |bytes| Self { bytes, ..self }.integer())
    }

    /// Its texts, which end with a zero each.
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

    /// The first `width` bytes as a number.
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

    /// What rustyfit makes of a file: each message's number, and its plain whole numbers by field.
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
    fn a_season_reads_as_another_decoder_reads_it() {
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
    fn a_number_is_what_the_file_declares() {
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
            // The first of several, fewer bytes than the type has, none at all.
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
    fn what_follows_something_undefined_is_lost_and_what_came_before_is_not() {
        // A record of one byte, twice; then a message nobody defined.
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
    fn a_time_in_five_bits_counts_on_from_the_last_whole_one() {
        let mut data = vec![0x40, 0, 0, 20, 0, 1, 253, 4, 0x86, 0x41, 0, 0, 20, 0, 1, 3, 1, 2, 0];
        data.extend(1_130_000_030_u32.to_le_bytes());
        // The whole one ends in 30 of 32; 31 is a second later, 2 is four.
        assert_eq!(1_130_000_030 % 32, 30);
        data.extend([0x80 | (1 << 5) | 31, 120, 0x80 | (1 << 5) | 2, 121]);
        let mut times = Vec::new();
        assert!(!for_each_message(&data, |message| times.extend(message.time())));
        assert_eq!(times, [1_130_000_030, 1_130_000_031, 1_130_000_034]);
    }
}
