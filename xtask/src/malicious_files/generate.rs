//! The malicious files, written in small pieces so that this process stays small.

use super::MaliciousFile;
use std::io::{self, Write};

/// A run of three minutes.
pub(super) const ORDINARY_GPX: &str = r#"<gpx><trk><name>Ordinary</name><type>running</type><trkseg>
<trkpt lat="47.0" lon="8.0"><time>2026-06-01T06:00:00Z</time></trkpt>
<trkpt lat="47.001" lon="8.0"><time>2026-06-01T06:01:00Z</time></trkpt>
<trkpt lat="47.002" lon="8.0"><time>2026-06-01T06:02:00Z</time></trkpt>
<trkpt lat="47.003" lon="8.0"><time>2026-06-01T06:03:00Z</time></trkpt>
</trkseg></trk></gpx>"#;

pub(super) const MALICIOUS_FILES: &[MaliciousFile] = &[
    MaliciousFile {
        name: "FIT, 100,000 sessions, laps and lengths",
        file_name: "a.fit",
        must_be_refused: false,
        write: sessions,
        padding: 0,
    },
    MaliciousFile {
        name: "FIT, 200,000 files chained",
        file_name: "b.fit",
        must_be_refused: false,
        write: chained,
        padding: 0,
    },
    MaliciousFile {
        name: "FIT, two million records of one byte",
        file_name: "c.fit",
        must_be_refused: true,
        write: empty_records,
        padding: 0,
    },
    MaliciousFile {
        name: "FIT, four million samples",
        file_name: "d.fit",
        must_be_refused: false,
        write: samples,
        padding: 0,
    },
    MaliciousFile {
        name: "FIT, 2 GB of zeros",
        file_name: "e.fit",
        must_be_refused: true,
        write: |_| Ok(()),
        padding: 2 << 30,
    },
    MaliciousFile {
        name: "FIT that declares 4 GB",
        file_name: "f.fit",
        must_be_refused: true,
        write: huge_header,
        padding: 1 << 20,
    },
    MaliciousFile {
        name: "GPX, 9,990 tracks",
        file_name: "g.gpx",
        must_be_refused: false,
        write: tracks,
        padding: 0,
    },
    MaliciousFile {
        name: "GPX, a million points",
        file_name: "h.gpx",
        must_be_refused: false,
        write: points,
        padding: 0,
    },
    MaliciousFile {
        name: "GPX, 100,000 deep",
        file_name: "i.gpx",
        must_be_refused: true,
        write: deep_xml,
        padding: 0,
    },
    MaliciousFile {
        name: "GPX, an attribute of 100 MB",
        file_name: "j.gpx",
        must_be_refused: true,
        write: long_attribute,
        padding: 0,
    },
    MaliciousFile {
        name: "TCX with a DOCTYPE and entities",
        file_name: "k.tcx",
        must_be_refused: true,
        write: doctype,
        padding: 0,
    },
    MaliciousFile {
        name: "JSON, 100,000 deep and never closed",
        file_name: "l_summarizedActivities.json",
        must_be_refused: true,
        write: |out| repeat(out, b"[", 100_000),
        padding: 0,
    },
    MaliciousFile {
        name: "JSON, 100,000 deep and closed",
        file_name: "m_summarizedActivities.json",
        must_be_refused: true,
        write: |out| repeat(out, b"[", 100_000).and_then(|()| repeat(out, b"]", 100_000)),
        padding: 0,
    },
    MaliciousFile {
        name: "JSON, one string of 150 MB",
        file_name: "n_summarizedActivities.json",
        must_be_refused: true,
        write: long_text,
        padding: 0,
    },
    MaliciousFile {
        name: "JSON, 3 GB of zeros",
        file_name: "o_sleepData.json",
        must_be_refused: true,
        write: |_| Ok(()),
        padding: 3 << 30,
    },
    MaliciousFile {
        name: "ZIP, a million entries",
        file_name: "p.zip",
        must_be_refused: true,
        write: entries,
        padding: 0,
    },
    MaliciousFile {
        name: "ZIP, 2 GB of zeros",
        file_name: "q.zip",
        must_be_refused: true,
        write: |_| Ok(()),
        padding: 2 << 30,
    },
    MaliciousFile {
        name: "gzip bomb of 1 GB",
        file_name: "r.fit.gz",
        must_be_refused: true,
        write: gzip_bomb,
        padding: 0,
    },
];

fn repeat(out: &mut dyn Write, piece: &[u8], times: u32) -> io::Result<()> {
    (0..times).try_for_each(|_| out.write_all(piece))
}

/// Header of a FIT file with `length` bytes of messages, without a checksum, as some devices write
/// it.
fn fit_header(length: u32) -> Vec<u8> {
    let mut header = vec![14, 0x20, 0x54, 0x08];
    header.extend(length.to_le_bytes());
    header.extend(b".FIT\0\0");
    header
}

/// Defines a message as a local type: (field, size, base type) each.
fn definition(local: u8, global: u16, fields: &[(u8, u8, u8)]) -> Vec<u8> {
    let mut bytes = vec![0x40 | local, 0, 0];
    bytes.extend(global.to_le_bytes());
    bytes.push(fields.len() as u8);
    bytes.extend(fields.iter().flat_map(|(number, size, base)| [*number, *size, *base]));
    bytes
}

const UINT32: u8 = 0x86;
const ENUM: u8 = 0x00;
/// 1 June 2026, in seconds since the FIT epoch.
const START_TIME: u32 = 1_149_228_000;

fn file_id() -> Vec<u8> {
    let mut bytes = definition(0, 0, &[(0, 1, ENUM), (4, 4, UINT32)]);
    bytes.extend([0, 4]);
    bytes.extend(START_TIME.to_le_bytes());
    bytes
}

fn fit(out: &mut dyn Write, head: &[u8], message: impl Fn(u32) -> Vec<u8>, times: u32) -> io::Result<()> {
    let length = head.len() as u32 + times * message(0).len() as u32;
    out.write_all(&fit_header(length))?;
    out.write_all(head)?;
    (0..times).try_for_each(|number| out.write_all(&message(number)))?;
    out.write_all(&[0, 0])
}

fn sessions(out: &mut dyn Write) -> io::Result<()> {
    let mut head = file_id();
    for (local, global) in [(1, 18), (2, 19), (3, 101)] {
        head.extend(definition(local, global, &[(253, 4, UINT32), (2, 4, UINT32), (7, 4, UINT32)]));
    }
    let message = |number: u32| {
        [1_u8, 2, 3]
            .iter()
            .flat_map(|local| {
                let begun = (START_TIME + 60 * number).to_le_bytes();
                let ended = (START_TIME + 60 * number + 59).to_le_bytes();
                let elapsed = 59_000_u32.to_le_bytes();
                [&[*local][..], &ended, &begun, &elapsed].concat()
            })
            .collect()
    };
    fit(out, &head, message, 100_000)
}

fn chained(out: &mut dyn Write) -> io::Result<()> {
    let says_what_it_is = file_id();
    let file = [fit_header(says_what_it_is.len() as u32), says_what_it_is, vec![0, 0]].concat();
    repeat(out, &file, 200_000)
}

fn empty_records(out: &mut dyn Write) -> io::Result<()> {
    let head = [file_id(), definition(1, 20, &[])].concat();
    fit(out, &head, |_| vec![1], 2_000_000)
}

fn samples(out: &mut dyn Write) -> io::Result<()> {
    let head = [file_id(), definition(1, 20, &[(253, 4, UINT32), (5, 4, UINT32)])].concat();
    let message = |number: u32| {
        [&[1][..], &(START_TIME + number / 8).to_le_bytes(), &(number * 40).to_le_bytes()].concat()
    };
    fit(out, &head, message, 4_000_000)
}

fn huge_header(out: &mut dyn Write) -> io::Result<()> {
    out.write_all(&fit_header(u32::MAX))
}

fn tracks(out: &mut dyn Write) -> io::Result<()> {
    out.write_all(b"<gpx>")?;
    for number in 0..9_990 {
        let (hour, minute) = (number / 60 % 24, number % 60);
        let (month, day) = (1 + number / 1440 / 28, 1 + number / 1440 % 28);
        write!(out, "<trk><trkseg>")?;
        for second in [0, 30, 59] {
            write!(
                out,
                "<trkpt lat=\"47.0{second}\" lon=\"8\">\
                 <time>2020-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z</time></trkpt>"
            )?;
        }
        write!(out, "</trkseg></trk>")?;
    }
    out.write_all(b"</gpx>")
}

fn points(out: &mut dyn Write) -> io::Result<()> {
    out.write_all(b"<gpx><trk><trkseg>")?;
    for number in 0..1_000_000 {
        let (day, hour, minute, second) =
            (1 + number / 86_400, number / 3600 % 24, number / 60 % 60, number % 60);
        write!(
            out,
            "<trkpt lat=\"47\" lon=\"8.{number:07}\"><ele>400</ele>\
             <time>2020-03-{day:02}T{hour:02}:{minute:02}:{second:02}Z</time></trkpt>"
        )?;
    }
    out.write_all(b"</trkseg></trk></gpx>")
}

fn deep_xml(out: &mut dyn Write) -> io::Result<()> {
    out.write_all(b"<gpx>")?;
    repeat(out, b"<trk>", 100_000)
}

fn long_attribute(out: &mut dyn Write) -> io::Result<()> {
    out.write_all(b"<gpx><trk name=\"")?;
    repeat(out, &[b'a'; 1 << 20], 100)?;
    out.write_all(b"\"/></gpx>")
}

fn doctype(out: &mut dyn Write) -> io::Result<()> {
    out.write_all(b"<!DOCTYPE x [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;\">]>")?;
    out.write_all(b"<TrainingCenterDatabase>&b;</TrainingCenterDatabase>")
}

fn long_text(out: &mut dyn Write) -> io::Result<()> {
    out.write_all(br#"[{"summarizedActivitiesExport":[{"activityId":1,"name":""#)?;
    repeat(out, &[b'a'; 1 << 20], 150)?;
    out.write_all(br#""}]}]"#)
}

/// A million empty entries, with the ZIP64 end record they need.
fn entries(out: &mut dyn Write) -> io::Result<()> {
    const COUNT: u32 = 1_000_000;
    const LOCAL: u64 = 30 + 11;
    let name = |number: u32| format!("{number:07}.fit");
    for number in 0..COUNT {
        out.write_all(b"PK\x03\x04\x14\0\0\0\0\0\0\0\x21\0")?;
        out.write_all(&[0; 12])?;
        out.write_all(&[11, 0, 0, 0])?;
        out.write_all(name(number).as_bytes())?;
    }
    for number in 0..COUNT {
        out.write_all(b"PK\x01\x02\x14\0\x14\0\0\0\0\0\0\0\x21\0")?;
        out.write_all(&[0; 12])?;
        out.write_all(&[11, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])?;
        out.write_all(&((u64::from(number) * LOCAL) as u32).to_le_bytes())?;
        out.write_all(name(number).as_bytes())?;
    }
    let (start, length) = (u64::from(COUNT) * LOCAL, u64::from(COUNT) * (46 + 11));
    out.write_all(b"PK\x06\x06")?;
    out.write_all(&44_u64.to_le_bytes())?;
    out.write_all(&[45, 0, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0])?;
    for value in [u64::from(COUNT), u64::from(COUNT), length, start] {
        out.write_all(&value.to_le_bytes())?;
    }
    out.write_all(b"PK\x06\x07\0\0\0\0")?;
    out.write_all(&(start + length).to_le_bytes())?;
    out.write_all(&1_u32.to_le_bytes())?;
    out.write_all(b"PK\x05\x06\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\0\0")
}

/// A gigabyte of zeros: one deflate block that repeats "the previous byte, 258 times".
fn gzip_bomb(out: &mut dyn Write) -> io::Result<()> {
    // Fixed Huffman codes: 0 is 00110000, length 258 is 11000101, distance 1 is 00000; lowest bit
    // first.
    let mut bits = BitWriter { out, held: 0, count: 0 };
    bits.out.write_all(b"\x1f\x8b\x08\0\0\0\0\0\0\xff")?;
    bits.put(0b1, 1)?;
    bits.put(0b01, 2)?;
    bits.put_code(0b0011_0000, 8)?;
    for _ in 0..(1_u32 << 30) / 258 {
        bits.put_code(0b1100_0101, 8)?;
        bits.put_code(0, 5)?;
    }
    bits.put_code(0, 7)?;
    bits.put(0, 7)?;
    // The checksum is never read.
    bits.out.write_all(&[0; 8])
}

struct BitWriter<'a> {
    out: &'a mut dyn Write,
    held: u32,
    count: u32,
}

impl BitWriter<'_> {
    fn put(&mut self, value: u32, bits: u32) -> io::Result<()> {
        self.held |= value << self.count;
        self.count += bits;
        while self.count >= 8 {
            self.out.write_all(&[self.held as u8])?;
            self.held >>= 8;
            self.count -= 8;
        }
        Ok(())
    }

    /// Writes a Huffman code, highest bit first.
    fn put_code(&mut self, code: u32, bits: u32) -> io::Result<()> {
        (0..bits).rev().try_for_each(|bit| self.put(code >> bit & 1, 1))
    }
}
