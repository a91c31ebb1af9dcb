//! Keys of services, sealed before they are stored.
//!
//! The sealing key is not in the database: it is in `FITNESS_KEY`, or in a file of its own that only its owner may
//! read. Whoever has one of the two has nothing. A sealed key names whose it is, so that one row's cannot be put
//! in another's place.

use crate::error::CliError;
use anyhow::{Context as _, Result};
use fitness_core::domain::ids::{SourceId, UserId};
use fitness_store::db::location::config_directory;
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::rand::{SecureRandom, SystemRandom};
use secrecy::{ExposeSecret, SecretString};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

const KEY_VARIABLE: &str = "FITNESS_KEY";
const KEY_FILE_NAME: &str = "sealing.key";
const KEY_BYTES: usize = 32;

/// Whose key it is.
#[derive(Debug, Clone, Copy)]
pub(crate) enum SecretOwner {
    /// A place data comes from.
    Source(SourceId),
    /// The service of a model.
    Coach,
    /// The same, for everybody who is served here.
    SharedCoach,
}

impl SecretOwner {
    /// What a sealed key is bound to.
    fn associated_data(self, user: UserId) -> String {
        match self {
            Self::Source(source) => format!("user {user} source {source}"),
            Self::Coach => format!("user {user} coach"),
            Self::SharedCoach => format!("user {user} everybody's coach"),
        }
    }

    fn decrypt_error(self) -> CliError {
        let (whose, give) = match self {
            Self::Source(source) => ("this source", format!("fitness source key {source}")),
            Self::Coach | Self::SharedCoach => ("your coach", "fitness coach use".to_owned()),
        };
        CliError::new(
            format!("the key of {whose} cannot be opened with this machine's sealing key"),
            format!("give it again with `{give}`, or bring back the old sealing key"),
        )
    }
}

/// Seals and opens the keys of services.
pub(crate) struct SecretCipher(LessSafeKey);

impl SecretCipher {
    /// The sealing key there is; made when there is none yet.
    pub(crate) fn load_or_create() -> Result<Self> {
        match Self::load()? {
            Some(seal) => Ok(seal),
            None => Self::create(&key_path()?),
        }
    }

    /// The sealing key, when there is one.
    pub(crate) fn load() -> Result<Option<Self>> {
        if let Some(value) = std::env::var_os(KEY_VARIABLE) {
            let bytes = value.to_str().and_then(from_hex).ok_or_else(|| {
                CliError::new(
                    format!("{KEY_VARIABLE} is not a sealing key"),
                    "it must be 64 hexadecimal digits, such as `openssl rand -hex 32` prints",
                )
            })?;
            return Self::from_bytes(&bytes).map(Some);
        }
        let path = key_path()?;
        if !path.exists() {
            return Ok(None);
        }
        refuse_when_readable_by_others(&path)?;
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let bytes = from_hex(text.trim()).ok_or_else(|| {
            let help = "put back the file that was there; without it, give the keys of your sources again";
            CliError::new(format!("{} is not a sealing key", path.display()), help)
        })?;
        Self::from_bytes(&bytes).map(Some)
    }

    fn create(path: &Path) -> Result<Self> {
        let mut bytes = [0; KEY_BYTES];
        SystemRandom::new().fill(&mut bytes).ok().context("this machine gives no random numbers")?;
        if let Some(directory) = path.parent() {
            fs::create_dir_all(directory).with_context(|| format!("cannot make {}", directory.display()))?;
        }
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        write_atomically(path, &hex).with_context(|| format!("cannot write {}", path.display()))?;
        Self::from_bytes(&bytes)
    }

    fn from_bytes(bytes: &[u8; KEY_BYTES]) -> Result<Self> {
        let key = UnboundKey::new(&CHACHA20_POLY1305, bytes)
            .ok()
            .context("the sealing key has the wrong length")?;
        Ok(Self(LessSafeKey::new(key)))
    }

    /// Seals a key.
    pub(crate) fn encrypt(
        &self,
        user: UserId,
        holder: SecretOwner,
        secret: &SecretString,
    ) -> Result<Vec<u8>> {
        let mut nonce = [0; NONCE_LEN];
        SystemRandom::new().fill(&mut nonce).ok().context("this machine gives no random numbers")?;
        let mut bytes = secret.expose_secret().as_bytes().to_vec();
        let about = Aad::from(holder.associated_data(user));
        self.0
            .seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), about, &mut bytes)
            .ok()
            .context("the key is too long to be sealed")?;
        Ok([nonce.as_slice(), &bytes].concat())
    }

    /// Opens a key.
    pub(crate) fn decrypt(&self, user: UserId, holder: SecretOwner, sealed: &[u8]) -> Result<SecretString> {
        let refused = || holder.decrypt_error();
        let (nonce, bytes) = sealed.split_at_checked(NONCE_LEN).ok_or_else(refused)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).map_err(|_| refused())?;
        let mut bytes = bytes.to_vec();
        let opened = self
            .0
            .open_in_place(nonce, Aad::from(holder.associated_data(user)), &mut bytes)
            .map_err(|_| refused())?;
        Ok(std::str::from_utf8(opened).map_err(|_| refused())?.to_owned().into())
    }
}

/// All of it or nothing, whatever happens in between; readable by its owner alone, as temporary files are.
fn write_atomically(path: &Path, hex: &str) -> std::io::Result<()> {
    let mut file = tempfile::NamedTempFile::new_in(path.parent().unwrap_or(Path::new(".")))?;
    writeln!(file, "{hex}")?;
    file.as_file().sync_all()?;
    file.persist_noclobber(path)?;
    Ok(())
}

fn key_path() -> Result<PathBuf> {
    let directory = config_directory().ok_or_else(|| {
        CliError::new(
            "this account has no home directory",
            format!("put the sealing key into {KEY_VARIABLE}"),
        )
    })?;
    Ok(directory.join(KEY_FILE_NAME))
}

#[cfg(unix)]
fn refuse_when_readable_by_others(path: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode =
        fs::metadata(path).with_context(|| format!("cannot read {}", path.display()))?.permissions().mode();
    if mode & 0o077 == 0 {
        return Ok(());
    }
    let message = format!("others may read {}, which seals the keys of your sources", path.display());
    Err(CliError::new(message, format!("run `chmod 600 {}`", path.display())).into())
}

#[cfg(not(unix))]
fn refuse_when_readable_by_others(_: &Path) -> Result<()> {
    Ok(())
}

fn from_hex(text: &str) -> Option<[u8; KEY_BYTES]> {
    if text.len() != 2 * KEY_BYTES || !text.is_ascii() {
        return None;
    }
    let mut bytes = [0; KEY_BYTES];
    for (i, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(text.get(2 * i..2 * i + 2)?, 16).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encrypted_key_decrypts_only_for_its_own_source() {
        let seal = SecretCipher::from_bytes(&[7; KEY_BYTES]).unwrap();
        let (user, source) = (UserId::new(1), SecretOwner::Source(SourceId::new(2)));
        let secret: SecretString = "GCDC_very-secret".to_owned().into();
        let sealed = seal.encrypt(user, source, &secret).unwrap();
        assert!(!sealed.windows(6).any(|part| part == b"secret"));
        assert_ne!(sealed, seal.encrypt(user, source, &secret).unwrap(), "never the same twice");
        assert_eq!(seal.decrypt(user, source, &sealed).unwrap().expose_secret(), "GCDC_very-secret");
        assert!(seal.decrypt(user, SecretOwner::Source(SourceId::new(3)), &sealed).is_err());
        assert!(seal.decrypt(user, SecretOwner::Coach, &sealed).is_err());
        let coach = seal.encrypt(user, SecretOwner::Coach, &secret).unwrap();
        assert!(seal.decrypt(user, SecretOwner::SharedCoach, &coach).is_err());
        assert!(seal.decrypt(UserId::new(9), source, &sealed).is_err());
        let other = SecretCipher::from_bytes(&[8; KEY_BYTES]).unwrap();
        assert!(other.decrypt(user, source, &sealed).is_err());
        for cut in [0, 5, NONCE_LEN, sealed.len() - 1] {
            assert!(seal.decrypt(user, source, &sealed[..cut]).is_err());
        }
    }

    #[test]
    fn a_sealing_key_is_64_digits() {
        assert_eq!(from_hex(&"0f".repeat(32)), Some([15; 32]));
        for bad in ["", "0f", &"0g".repeat(32), &"é".repeat(32), &"0f".repeat(33)] {
            assert_eq!(from_hex(bad), None, "{bad}");
        }
    }
}
