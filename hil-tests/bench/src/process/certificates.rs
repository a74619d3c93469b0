//! A certificate authority of the rig, and two certificates for the broker: one valid, one long expired. The `openssl` tool makes them,
//! as an operator would.

use super::rig_fault::RigFault;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Configuration of `openssl ca`, the only subcommand of OpenSSL 3.0 with `-startdate` and `-enddate`.
const AUTHORITY: &str = "[ca]
default_ca = rig
[rig]
database = index
new_certs_dir = .
rand_serial = yes
default_md = sha256
policy = names
x509_extensions = server
unique_subject = no
[names]
commonName = supplied
[server]
subjectAltName = IP:127.0.0.1
basicConstraints = CA:FALSE
";

/// The files, in their own directory.
#[derive(Debug)]
pub struct Certificates {
    dir: PathBuf,
}

impl Certificates {
    /// Makes them in `dir`, which is created.
    ///
    /// # Errors
    /// [`RigFault`] when openssl is not installed or refuses.
    pub fn make(dir: &Path) -> Result<Self, RigFault> {
        std::fs::create_dir_all(dir).map_err(RigFault::file("make the directory", dir))?;
        for (name, text) in [("ca.cnf", AUTHORITY), ("index", "")] {
            let path = dir.join(name);
            std::fs::write(&path, text).map_err(RigFault::file("write", &path))?;
        }
        let key = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes";
        openssl(dir, &format!("req -x509 {key} -days 2 -subj /CN=authority -keyout ca.key -out ca.crt"))?;
        openssl(dir, &format!("req {key} -subj /CN=broker -keyout server.key -out server.csr"))?;
        let sign = "ca -batch -notext -config ca.cnf -cert ca.crt -keyfile ca.key -in server.csr";
        openssl(dir, &format!("{sign} -days 2 -out good.crt"))?;
        openssl(dir, &format!("{sign} -startdate 20200101000000Z -enddate 20200201000000Z -out expired.crt"))?;
        let made = Self { dir: dir.to_owned() };
        made.show(false)?;
        Ok(made)
    }

    /// Selects the certificate that the broker presents after its next reload.
    ///
    /// # Errors
    /// [`RigFault`] when it cannot be written.
    pub fn show(&self, expired: bool) -> Result<(), RigFault> {
        let (from, to) = (self.dir.join(if expired { "expired.crt" } else { "good.crt" }), self.dir.join("server.crt"));
        std::fs::copy(from, &to).map(|_| ()).map_err(RigFault::file("write", &to))
    }

    /// The authority's certificate, for clients to trust.
    #[must_use]
    pub fn authority(dir: &Path) -> PathBuf {
        dir.join("ca.crt")
    }

    /// The lines of mosquitto's configuration for a listener with these certificates.
    #[must_use]
    pub fn lines(&self) -> String {
        let at = self.dir.display();
        format!("cafile {at}/ca.crt\ncertfile {at}/server.crt\nkeyfile {at}/server.key\n")
    }
}

fn openssl(dir: &Path, arguments: &str) -> Result<(), RigFault> {
    let spawned = Command::new("openssl").current_dir(dir).args(arguments.split_whitespace()).output();
    let output = spawned.map_err(|source| RigFault::Spawn {
        program: PathBuf::from("openssl"),
        source,
        remedy: "install it: apt-get install openssl",
    })?;
    if output.status.success() {
        return Ok(());
    }
    Err(RigFault::Other(format!("openssl {arguments}: {}", String::from_utf8_lossy(&output.stderr).trim_end())))
}
