//! Encryption of stored API keys (ChaCha20-Poly1305).
//!
//! The encryption key is not in the database: it is in `FITNESS_KEY`, or in a file that only its
//! owner may read. The database or the key alone reveals nothing. The owner of a secret is
//! authenticated with it, so that a ciphertext cannot be moved to another row.

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

#[derive(Debug, Clone, Copy)]
pub(crate) enum SecretPurpose {
    Source(SourceId),
    /// The user's model provider.
    Coach,
    /// The model provider key that the owner shares with all users.
    SharedCoach,
}

impl SecretPurpose {
    /// Stored ciphertexts depend on these texts; never change them.
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
            format!("cannot decrypt the API key of {whose} with this machine's encryption key"),
            format!("enter it again with `{give}`, or restore the old encryption key"),
        )
    }
}

/// Encrypts and decrypts API keys.
pub(crate) struct SecretCipher(LessSafeKey);

impl SecretCipher {
    pub(crate) fn load_or_create() -> Result<Self> {
        match Self::load()? {
            Some(cipher) => Ok(cipher),
            None => Self::create(&key_path()?),
        }
    }

    /// `None` if there is no encryption key yet.
    pub(crate) fn load() -> Result<Option<Self>> {
        if let Some(value) = std::env::var_os(KEY_VARIABLE) {
            let bytes = value.to_str().and_then(from_hex).ok_or_else(|| {
                CliError::new(
                    format!("{KEY_VARIABLE} is not a valid encryption key"),
                    "it must be 64 hexadecimal digits, as printed by `openssl rand -hex 32`",
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
            let help = "restore the original file; without it, enter the API keys of your sources again";
            CliError::new(format!("{} is not a valid encryption key", path.display()), help)
        })?;
        Self::from_bytes(&bytes).map(Some)
    }

    fn create(path: &Path) -> Result<Self> {
        let mut bytes = [0; KEY_BYTES];
        SystemRandom::new().fill(&mut bytes).ok().context("cannot get random numbers from the system")?;
        if let Some(directory) = path.parent() {
            fs::create_dir_all(directory)
                .with_context(|| format!("cannot create {}", directory.display()))?;
        }
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        write_atomically(path, &hex).with_context(|| format!("cannot write {}", path.display()))?;
        Self::from_bytes(&bytes)
    }

    fn from_bytes(bytes: &[u8; KEY_BYTES]) -> Result<Self> {
        let key = UnboundKey::new(&CHACHA20_POLY1305, bytes)
            .ok()
            .context("the encryption key has the wrong length")?;
        Ok(Self(LessSafeKey::new(key)))
    }

    pub(crate) fn encrypt(
        &self,
        user: UserId,
        holder: SecretPurpose,
        secret: &SecretString,
    ) -> Result<Vec<u8>> {
        let mut nonce = [0; NONCE_LEN];
        SystemRandom::new().fill(&mut nonce).ok().context("cannot get random numbers from the system")?;
        let mut bytes = secret.expose_secret().as_bytes().to_vec();
        let about = Aad::from(holder.associated_data(user));
        self.0
            .seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), about, &mut bytes)
            .ok()
            .context("the key is too long to encrypt")?;
        Ok([nonce.as_slice(), &bytes].concat())
    }

    pub(crate) fn decrypt(&self, user: UserId, holder: SecretPurpose, sealed: &[u8]) -> Result<SecretString> {
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

/// Temporary files are readable by their owner only.
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
            format!("set the encryption key in {KEY_VARIABLE}"),
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
    let message = format!("other users can read the encryption key in {}", path.display());
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
        let cipher = SecretCipher::from_bytes(&[7; KEY_BYTES]).unwrap();
        let (user, source) = (UserId::new(1), SecretPurpose::Source(SourceId::new(2)));
        let secret: SecretString = "GCDC_very-secret".to_owned().into();
        let sealed = cipher.encrypt(user, source, &secret).unwrap();
        assert!(!sealed.windows(6).any(|part| part == b"secret"));
        assert_ne!(sealed, cipher.encrypt(user, source, &secret).unwrap(), "never the same twice");
        assert_eq!(cipher.decrypt(user, source, &sealed).unwrap().expose_secret(), "GCDC_very-secret");
        assert!(cipher.decrypt(user, SecretPurpose::Source(SourceId::new(3)), &sealed).is_err());
        assert!(cipher.decrypt(user, SecretPurpose::Coach, &sealed).is_err());
        let coach = cipher.encrypt(user, SecretPurpose::Coach, &secret).unwrap();
        assert!(cipher.decrypt(user, SecretPurpose::SharedCoach, &coach).is_err());
        assert!(cipher.decrypt(UserId::new(9), source, &sealed).is_err());
        let other = SecretCipher::from_bytes(&[8; KEY_BYTES]).unwrap();
        assert!(other.decrypt(user, source, &sealed).is_err());
        for cut in [0, 5, NONCE_LEN, sealed.len() - 1] {
            assert!(cipher.decrypt(user, source, &sealed[..cut]).is_err());
        }
    }

    #[test]
    fn encryption_key_is_64_hex_digits() {
        assert_eq!(from_hex(&"0f".repeat(32)), Some([15; 32]));
        for bad in ["", "0f", &"0g".repeat(32), &"é".repeat(32), &"0f".repeat(33)] {
            assert_eq!(from_hex(bad), None, "{bad}");
        }
    }
}
