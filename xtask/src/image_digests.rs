//! `cargo xtask pin-images --to FOLDER IMAGES` writes the compose files of a release with image
//! digests; `cargo xtask check-images FOLDER` fails if an image has none.

use crate::workspace::read_file;
use anyhow::{Context, Result, bail};
use std::path::Path;

/// Compose files of a release: path in the repository, and name in the release.
const COMPOSE_FILES: &[(&str, &str)] =
    &[("compose.yaml", "compose.yaml"), ("deploy/compose.sqlite.yaml", "compose.sqlite.yaml")];

/// Each image is given as `name:tag@sha256:…`.
pub(crate) fn pin(root: &Path, to: &Path, images: &[&str]) -> Result<()> {
    if let Some(wrong) = images.iter().find(|image| !is_pinned(image)) {
        bail!("`{wrong}` has no digest; write it as name:tag@sha256:64 hexadecimal digits");
    }
    std::fs::create_dir_all(to).with_context(|| to.display().to_string())?;
    for (here, there) in COMPOSE_FILES {
        let text = pin_text(&read_file(&root.join(here))?, images).with_context(|| (*here).to_owned())?;
        let path = to.join(there);
        std::fs::write(&path, text).with_context(|| path.display().to_string())?;
        println!("{}", path.display());
    }
    check(to)
}

/// Fails if a compose file is missing or names an image without a digest.
pub(crate) fn check(folder: &Path) -> Result<()> {
    let mut problems = Vec::new();
    for (_, name) in COMPOSE_FILES {
        let text = read_file(&folder.join(name))?;
        problems.extend(list_unpinned(&text).into_iter().map(|image| format!("{name}: {image}")));
    }
    if !problems.is_empty() {
        bail!("images without a digest: {}", problems.join(", "));
    }
    Ok(())
}

/// Adds digests and removes `build:` lines.
fn pin_text(text: &str, images: &[&str]) -> Result<String> {
    let mut out = String::with_capacity(text.len());
    for line in text.lines().filter(|line| !line.trim_start().starts_with("build:")) {
        match parse_image(line) {
            None => out.push_str(line),
            Some(named) => {
                let known = images.iter().find(|image| repository(image) == repository(named));
                let known = known.with_context(|| format!("no digest was given for `{named}`"))?;
                out.push_str(&line.replace(named, known));
            }
        }
        out.push('\n');
    }
    Ok(out)
}

/// Images without a digest, and `build:` lines.
fn list_unpinned(text: &str) -> Vec<String> {
    let built = text.lines().map(str::trim).filter(|line| line.starts_with("build:"));
    let named = text.lines().filter_map(parse_image).filter(|image| !is_pinned(image));
    named.chain(built).map(str::to_owned).collect()
}

fn parse_image(line: &str) -> Option<&str> {
    Some(
        line.trim_start()
            .strip_prefix("image:")?
            .split(" #")
            .next()
            .unwrap_or_default()
            .trim()
            .trim_matches(['"', '\'']),
    )
}

/// The image without tag and digest. A colon after the last slash starts a tag, one before it a
/// port.
fn repository(image: &str) -> &str {
    let name = image.split('@').next().unwrap_or_default();
    let last = name.rfind('/').map_or(0, |slash| slash + 1);
    name[last..].find(':').map_or(name, |colon| &name[..last + colon])
}

fn is_pinned(image: &str) -> bool {
    let digest = image.split_once("@sha256:").map(|(_, digest)| digest);
    !image.contains('$')
        && digest.is_some_and(|digest| digest.len() == 64 && digest.chars().all(|c| c.is_ascii_hexdigit()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::root;

    fn with_digest(image: &str) -> String {
        format!("{image}@sha256:{}", "0a".repeat(32))
    }

    #[test]
    fn pinned_compose_files_have_every_digest() {
        let folder = tempfile::tempdir().unwrap();
        let images = ["ghcr.io/local-fitness/local-fitness:0.2.0", "postgres:16-bookworm", "caddy:2-alpine"]
            .map(with_digest);
        let images = images.each_ref().map(String::as_str);
        pin(&root(), folder.path(), &images).unwrap();
        let text = read_file(&folder.path().join("compose.yaml")).unwrap();
        for image in images {
            assert_eq!(text.matches(&format!("    image: {image}\n")).count(), 1, "{image} in {text}");
        }
        assert!(!text.contains("build:") && !text.contains("FITNESS_VERSION"), "{text}");
        let missing = pin(&root(), folder.path(), &images[..2]).unwrap_err();
        assert!(format!("{missing:#}").contains("no digest was given for `caddy:2-alpine`"), "{missing:#}");
        for wrong in ["caddy:2-alpine", "caddy@sha256:0a", "caddy@sha256:zz"] {
            assert!(pin(&root(), folder.path(), &[images[0], images[1], wrong]).is_err(), "{wrong}");
        }
    }

    #[test]
    fn compose_file_with_unpinned_image_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        let fine = format!("services:\n  x:\n    image: {}\n", with_digest("registry.example:5000/x/y:1"));
        put("compose.yaml", &fine);
        put("compose.sqlite.yaml", &fine);
        check(folder.path()).unwrap();
        for wrong in [
            "image: postgres:16",
            "image: \"caddy:2\"",
            "image: x:${V:-latest}",
            "build: .",
            "image: a@sha256:12",
        ] {
            put("compose.sqlite.yaml", &format!("{fine}  z:\n    {wrong}\n"));
            assert!(check(folder.path()).is_err(), "{wrong}");
        }
        std::fs::remove_file(folder.path().join("compose.sqlite.yaml")).unwrap();
        assert!(check(folder.path()).is_err(), "a file is missing");
        assert_eq!(repository(&with_digest("registry.example:5000/x/y:1")), "registry.example:5000/x/y");
    }
}
