//! Fuzzes FIT files: arbitrary message definitions with valid headers and checksums.

use super::{ZONE, check_activity, check_reason, check_wellness, one_in, pick, raw, up_to};
use crate::fit::{crc, read};
use arbitrary::Unstructured;

/// Known messages, and one unknown.
const MESSAGES: [u16; 22] =
    [20, 20, 20, 18, 19, 0, 34, 12, 78, 101, 225, 206, 207, 103, 55, 132, 211, 227, 269, 275, 346, 9999];
/// Fields of those messages, the timestamp first.
const FIELDS: [u8; 24] =
    [253, 253, 253, 254, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 13, 16, 26, 27, 39, 44, 73, 78, 250];
/// Every base type, with the size of one value.
const TYPES: [(u8, u8); 17] = [
    (0x00, 1),
    (0x01, 1),
    (0x02, 1),
    (0x83, 2),
    (0x84, 2),
    (0x85, 4),
    (0x86, 4),
    (0x86, 4),
    (0x07, 16),
    (0x88, 4),
    (0x89, 8),
    (0x0a, 1),
    (0x8b, 2),
    (0x8c, 4),
    (0x0d, 3),
    (0x8e, 8),
    (0x8f, 8),
];
/// Bytes of edge-case numbers.
const BYTES: [u8; 8] = [0xff, 0x00, 0x7f, 0x80, 0x01, 0xfe, 0x40, 0x10];

/// Reads a FIT file generated from fuzzer input.
pub fn fit(bytes: &[u8]) {
    let Some((how, rest)) = bytes.split_first() else { return };
    let file = match how % 4 {
        0 => rest.to_vec(),
        // Raw input with corrected checksums.
        1 => sequence(rest, 14, true),
        _ => recipe(&mut Unstructured::new(rest)),
    };
    check(&file);
}

fn check(file: &[u8]) {
    match read(file, ZONE) {
        Err(why) => check_reason(&why.0),
        Ok(file) => {
            file.activities.iter().for_each(check_activity);
            file.days.iter().for_each(check_wellness);
            let records: usize = file
                .activities
                .iter()
                .filter_map(|a| a.recording.as_ref())
                .map(|r| r.offsets_ms().len())
                .sum();
            assert!(records <= file.records, "samples that nobody recorded");
        }
    }
}

/// A header, the data, and the checksum.
fn sequence(data: &[u8], header: u8, sound: bool) -> Vec<u8> {
    let mut file = vec![header, 0x20, 0x54, 0x08];
    file.extend(u32::try_from(data.len()).unwrap_or(u32::MAX).to_le_bytes());
    file.extend(b".FIT");
    if header == 14 {
        file.extend(crc(0, &file).to_le_bytes());
    }
    file.extend(data);
    let checksum = crc(0, &file) ^ u16::from(!sound);
    file.extend(checksum.to_le_bytes());
    file
}

#[derive(Clone, Default)]
struct Definition {
    big_endian: bool,
    fields: Vec<(u8, u8, u8)>,
    developer: Vec<u8>,
}

fn recipe(u: &mut Unstructured<'_>) -> Vec<u8> {
    let mut file = Vec::new();
    for _ in 0..=up_to(u, 2) {
        let data = messages(u);
        let header = if one_in(u, 3) { 12 } else { 14 };
        let sound = !one_in(u, 8);
        let mut one = sequence(&data, header, sound);
        match up_to(u, 12) {
            // Missing or wrong length.
            1 => one[4..8].copy_from_slice(&0_u32.to_le_bytes()),
            2 => one[4..8].copy_from_slice(&u.arbitrary::<u32>().unwrap_or(7).to_le_bytes()),
            3 => one.truncate(up_to(u, data.len() + 16)),
            _ => {}
        }
        file.extend(one);
    }
    file
}

fn messages(u: &mut Unstructured<'_>) -> Vec<u8> {
    let mut data = Vec::new();
    let mut definitions: [Option<Definition>; 16] = Default::default();
    let mut now: u32 = 1_130_000_000;
    for _ in 0..200 {
        if u.is_empty() {
            break;
        }
        let local = u.arbitrary::<u8>().unwrap_or(0) & 0x03;
        match up_to(u, 15) {
            0..=3 => {
                let definition = define(u, local, &mut data);
                definitions[usize::from(local)] = Some(definition);
            }
            4 => describe(u, &mut data),
            5 if one_in(u, 4) => data.extend(raw(u, 20)),
            6 => {
                // Compressed timestamp.
                data.push(0x80 | (local << 5) | (u.arbitrary::<u8>().unwrap_or(0) & 0x1f));
                fill(u, definitions[usize::from(local)].as_ref(), now, &mut data);
            }
            _ => {
                now = match up_to(u, 9) {
                    8 => u.arbitrary().unwrap_or(0),
                    9 => now.wrapping_sub(1000),
                    step => now.wrapping_add(u32::try_from(step).unwrap_or(1)),
                };
                data.push(local);
                fill(u, definitions[usize::from(local)].as_ref(), now, &mut data);
            }
        }
    }
    data
}

fn define(u: &mut Unstructured<'_>, local: u8, data: &mut Vec<u8>) -> Definition {
    let mut definition = Definition { big_endian: one_in(u, 4), ..Definition::default() };
    let message = if one_in(u, 12) { u.arbitrary().unwrap_or(20) } else { pick(u, &MESSAGES) };
    for _ in 0..up_to(u, 10) {
        let number = if one_in(u, 8) { u.arbitrary().unwrap_or(0) } else { pick(u, &FIELDS) };
        let (kind, natural) = if one_in(u, 16) { (u.arbitrary().unwrap_or(0), 1) } else { pick(u, &TYPES) };
        let size = match up_to(u, 15) {
            0 => 0,
            1 => natural - 1,
            2 => natural.saturating_mul(3),
            3 => u.arbitrary().unwrap_or(1),
            _ => natural,
        };
        definition.fields.push((number, size, kind));
    }
    let developer = one_in(u, 4);
    data.push(0x40 | (u8::from(developer) << 5) | local);
    data.extend([0, u8::from(definition.big_endian)]);
    data.extend(if definition.big_endian { message.to_be_bytes() } else { message.to_le_bytes() });
    data.push(definition.fields.len() as u8);
    data.extend(definition.fields.iter().flat_map(|(number, size, kind)| [*number, *size, *kind]));
    if developer {
        let count = up_to(u, 3) as u8;
        data.push(count);
        for _ in 0..count {
            let size = pick(u, &[1, 2, 4, 8, 0, 255]);
            data.extend([pick(u, &[0, 1, 7]), size, pick(u, &[0, 0, 1])]);
            definition.developer.push(size);
        }
    }
    definition
}

/// A field description message.
fn describe(u: &mut Unstructured<'_>, data: &mut Vec<u8>) {
    let kind = pick(u, &TYPES).0;
    data.extend([0x4f, 0, 0, 206, 0, 6]);
    data.extend([0, 1, 2, 1, 1, 2, 2, 1, 2, 3, 6, 7, 14, 2, 0x84, 15, 1, 2]);
    data.extend([0x0f, 0, pick(u, &[0, 1, 7]), kind]);
    data.extend(b"Power\0");
    data.extend([20, 0, pick(u, &[7, 3, 4, 5, 6, 2, 253])]);
}

fn fill(u: &mut Unstructured<'_>, definition: Option<&Definition>, now: u32, data: &mut Vec<u8>) {
    let Some(definition) = definition else { return };
    for (number, size, _) in &definition.fields {
        let is_time = matches!(number, 253 | 2) && *size == 4 && !one_in(u, 10);
        if is_time {
            data.extend(if definition.big_endian { now.to_be_bytes() } else { now.to_le_bytes() });
        } else {
            value(u, *size, data);
        }
    }
    for size in &definition.developer {
        value(u, *size, data);
    }
}

fn value(u: &mut Unstructured<'_>, size: u8, data: &mut Vec<u8>) {
    let byte = pick(u, &BYTES);
    match up_to(u, 3) {
        0 => data.extend((0..size).map(|_| u.arbitrary().unwrap_or(byte))),
        // Minimum and maximum differ in the last byte.
        1 => data.extend((0..size).map(|at| if at + 1 == size { byte } else { 0xff })),
        2 => data.extend((0..size).map(|at| if at == 0 { byte } else { 0 })),
        _ => data.extend((0..size).map(|_| byte)),
    }
}
