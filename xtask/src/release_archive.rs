//! `cargo xtask pack --target TARGET --to FOLDER`: the release archive of one target.
//!
//! Archives are reproducible: the same binary and commit give the same bytes, with sorted names, no
//! user or group, and the commit's time.

use crate::release_plan;
use crate::workspace::{read_file, target_dir};
use anyhow::{Context, Result, bail};
use flate2::{Compression, GzBuilder};
use std::fs;
use std::io::{Cursor, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use tar::{EntryType, Header};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

const DOCUMENTS: &[&str] = &["README.md", "LICENSE", "CHANGELOG.md", "PRIVACY.md", "SECURITY.md"];
/// Shells and the names of their completion scripts.
const SHELLS: &[(&str, &str)] = &[
    ("bash", "fitness.bash"),
    ("zsh", "_fitness"),
    ("fish", "fitness.fish"),
    ("powershell", "_fitness.ps1"),
    ("elvish", "fitness.elv"),
];

struct Member {
    name: String,
    bytes: Vec<u8>,
    executable: bool,
}

impl Member {
    fn new(name: impl Into<String>, bytes: Vec<u8>) -> Self {
        Self { name: name.into(), bytes, executable: false }
    }

    const fn mode(&self) -> u32 {
        if self.executable { 0o755 } else { 0o644 }
    }
}

/// Packs the output of `cargo build --profile dist --target T` and prints the archive's path.
pub(crate) fn pack(root: &Path, triple: &str, to: &Path) -> Result<()> {
    if triple.is_empty() || !triple.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_') {
        bail!("`{triple}` is not a target triple such as x86_64-unknown-linux-gnu");
    }
    let name = if triple.contains("windows") { "fitness.exe" } else { "fitness" };
    let program = target_dir(root)?.join(triple).join("dist").join(name);
    if !program.is_file() {
        bail!(
            "{} does not exist; run cargo build --locked --profile dist -p local-fitness --target {triple}",
            program.display()
        );
    }
    let packed = write_archive(root, &program, triple, to, commit_time(root)?)?;
    println!("{}", packed.display());
    Ok(())
}

fn write_archive(root: &Path, program: &Path, triple: &str, to: &Path, when: u64) -> Result<PathBuf> {
    let version = release_plan::version(&read_file(&root.join("Cargo.toml"))?)?;
    let folder = format!("local-fitness-{version}-{triple}");
    let members = collect_members(root, program)?;
    let (bytes, suffix) = if triple.contains("windows") {
        (build_zip(&folder, &members)?, "zip")
    } else {
        (build_tar(&folder, &members, when)?, "tar.gz")
    };
    fs::create_dir_all(to).with_context(|| to.display().to_string())?;
    let path = to.join(format!("{folder}.{suffix}"));
    fs::write(&path, bytes).with_context(|| path.display().to_string())?;
    Ok(path)
}

/// The program, documents, completions, man pages and deployment files, sorted by name.
fn collect_members(root: &Path, program: &Path) -> Result<Vec<Member>> {
    let name = program.file_name().and_then(|name| name.to_str()).context("the program has no name")?;
    let bytes = fs::read(program).with_context(|| program.display().to_string())?;
    let mut members = vec![Member { executable: true, ..Member::new(name, bytes) }];
    for document in DOCUMENTS {
        members.push(Member::new(*document, read_file(&root.join(document))?.into_bytes()));
    }
    for (shell, name) in SHELLS {
        let script = run_program(program, &["completions".as_ref(), shell.as_ref()])?;
        members.push(Member::new(format!("completions/{name}"), script));
    }
    let pages = tempfile::tempdir()?;
    run_program(program, &["man".as_ref(), "--to".as_ref(), pages.path().as_os_str()])?;
    members.extend(read_tree(pages.path(), "man")?);
    members.extend(read_tree(&root.join("deploy"), "deploy")?);
    members.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(members)
}

/// All files of a folder, recursively.
fn read_tree(folder: &Path, name: &str) -> Result<Vec<Member>> {
    let mut members = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        let own = path.file_name().and_then(|name| name.to_str()).context("a file without a name")?;
        let name = format!("{name}/{own}");
        if path.is_dir() {
            members.extend(read_tree(&path, &name)?);
        } else {
            members.push(Member::new(name, fs::read(&path)?));
        }
    }
    Ok(members)
}

/// The standard output of the program.
fn run_program(program: &Path, arguments: &[&std::ffi::OsStr]) -> Result<Vec<u8>> {
    let told = Command::new(program).args(arguments).output();
    let told = told.with_context(|| format!("could not run {}", program.display()))?;
    if !told.status.success() {
        bail!("{} {arguments:?}: {}", program.display(), String::from_utf8_lossy(&told.stderr).trim());
    }
    Ok(told.stdout)
}

fn build_tar(folder: &str, members: &[Member], when: u64) -> Result<Vec<u8>> {
    let packed = GzBuilder::new().mtime(0).write(Vec::new(), Compression::best());
    let mut tar = tar::Builder::new(packed);
    for member in members {
        let mut header = Header::new_gnu();
        header.set_entry_type(EntryType::Regular);
        header.set_size(member.bytes.len() as u64);
        header.set_mode(member.mode());
        header.set_mtime(when);
        header.set_uid(0);
        header.set_gid(0);
        tar.append_data(&mut header, format!("{folder}/{}", member.name), member.bytes.as_slice())?;
    }
    Ok(tar.into_inner()?.finish()?)
}

/// Every file gets the earliest ZIP time stamp, because ZIP times have no time zone.
fn build_zip(folder: &str, members: &[Member]) -> Result<Vec<u8>> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for member in members {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .last_modified_time(DateTime::default())
            .unix_permissions(member.mode());
        zip.start_file(format!("{folder}/{}", member.name), options)?;
        zip.write_all(&member.bytes)?;
    }
    Ok(zip.finish()?.into_inner())
}

/// `SOURCE_DATE_EPOCH`, or the time of the current commit.
fn commit_time(root: &Path) -> Result<u64> {
    if let Ok(said) = std::env::var("SOURCE_DATE_EPOCH") {
        return said.parse().context("SOURCE_DATE_EPOCH is not a number of seconds");
    }
    release_plan::git(root, &["log", "-1", "--format=%ct"])?
        .trim()
        .parse()
        .context("git printed no commit time")
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use crate::workspace::root;
    use std::os::unix::fs::PermissionsExt as _;
    use tempfile::TempDir;

    /// A stand-in for `fitness completions` and `fitness man`.
    fn fake_program(folder: &Path, name: &str) -> PathBuf {
        let script = "#!/bin/sh\ncase $1 in\ncompletions) echo \"for $2\" ;;\nman) echo page > \"$3/fitness.1\" ;;\n*) exit 2 ;;\nesac\n";
        let path = folder.join(name);
        fs::write(&path, script).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    fn list_members(path: &Path) -> String {
        let told = Command::new("tar").arg("tzvf").arg(path).env("TZ", "UTC").output().unwrap();
        assert!(told.status.success(), "{}", String::from_utf8_lossy(&told.stderr));
        String::from_utf8(told.stdout).unwrap()
    }

    #[test]
    fn archive_contains_program_documents_man_pages_and_completions() {
        let folder = TempDir::new().unwrap();
        let program = fake_program(folder.path(), "fitness");
        let packed =
            write_archive(&root(), &program, "x86_64-unknown-linux-gnu", folder.path(), 86_400).unwrap();
        let name = packed.file_name().unwrap().to_str().unwrap().to_owned();
        assert!(
            name.starts_with("local-fitness-") && name.ends_with("-x86_64-unknown-linux-gnu.tar.gz"),
            "{name}"
        );
        let listed = list_members(&packed);
        let inside = name.trim_end_matches(".tar.gz");
        for wanted in
            ["fitness", "README.md", "LICENSE", "CHANGELOG.md", "man/fitness.1", "completions/_fitness"]
        {
            let line = listed.lines().find(|line| line.ends_with(&format!(" {inside}/{wanted}")));
            let line = line.unwrap_or_else(|| panic!("no {wanted} in\n{listed}"));
            assert_eq!(line.starts_with("-rwxr-xr-x"), wanted == "fitness", "{line}");
            assert!(
                line.contains("0/0") && line.contains("1970-01-02"),
                "no user, group or time of this machine: {line}"
            );
        }
        assert!(listed.contains("/deploy/"), "{listed}");
    }

    #[test]
    fn same_program_gives_identical_archive() {
        let folder = TempDir::new().unwrap();
        let program = fake_program(folder.path(), "fitness");
        for triple in ["aarch64-apple-darwin", "x86_64-pc-windows-msvc"] {
            let [first, second] = ["a", "b"].map(|to| {
                let packed =
                    write_archive(&root(), &program, triple, &folder.path().join(to), 1_700_000_000).unwrap();
                // The modification time must not matter.
                fs::write(&program, fs::read(&program).unwrap()).unwrap();
                fs::read(packed).unwrap()
            });
            assert!(first == second, "{triple} differs");
        }
    }

    #[test]
    fn windows_archive_is_a_zip() {
        let folder = TempDir::new().unwrap();
        let program = fake_program(folder.path(), "fitness.exe");
        let packed = write_archive(&root(), &program, "x86_64-pc-windows-msvc", folder.path(), 0).unwrap();
        let mut zip = zip::ZipArchive::new(fs::File::open(&packed).unwrap()).unwrap();
        let inside = packed.file_stem().unwrap().to_str().unwrap().to_owned();
        assert!(zip.by_name(&format!("{inside}/fitness.exe")).is_ok());
        assert!(zip.by_name(&format!("{inside}/completions/_fitness.ps1")).is_ok());
    }

    #[test]
    fn missing_or_failing_program_is_not_packed() {
        let folder = TempDir::new().unwrap();
        let refused = pack(&root(), "mips-unknown-nothing", folder.path()).unwrap_err().to_string();
        assert!(refused.contains("cargo build --locked --profile dist"), "{refused}");
        assert!(
            pack(&root(), "../escape", folder.path())
                .unwrap_err()
                .to_string()
                .contains("is not a target triple")
        );
        let program = fake_program(folder.path(), "fitness");
        fs::write(&program, "#!/bin/sh\necho broken >&2; exit 1\n").unwrap();
        let refused =
            write_archive(&root(), &program, "x86_64-unknown-linux-gnu", folder.path(), 0).unwrap_err();
        assert!(refused.to_string().contains("broken"), "{refused}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no partial archive is left");
    }
}
