//! The broker as a command is told of it.

use anyhow::{Context, ensure};
use std::path::PathBuf;
use std::time::Duration;
use tumblerd::config::broker_address;
use tumblerd::relay::{Names, SYSTEM_AUTHORITIES, Settings, Tls, Trouble};

/// What is to be looked at where the broker does not answer.
pub(crate) const HELP: &str =
    "does it run, is --broker its address, and may this account read there (--username, --password-file)?";
/// The keep-alive of the connection.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// What stands between, and what to look at where that does not say it.
pub(crate) fn helped(trouble: &Trouble) -> String {
    if trouble.advises { trouble.what.clone() } else { format!("{}; {HELP}", trouble.what) }
}

/// How this account reaches a broker.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Access {
    /// The certificate authorities to trust with mqtts (PEM); unless given, those that this system trusts
    #[arg(long, value_name = "FILE")]
    ca_file: Option<PathBuf>,
    /// User name at the broker
    #[arg(long, value_name = "NAME")]
    username: Option<String>,
    /// File whose first line is the password
    #[arg(long, value_name = "FILE", requires = "username")]
    password_file: Option<PathBuf>,
}

/// Where the broker is.
#[derive(Clone, Debug)]
pub(crate) struct Broker {
    /// As it was typed.
    pub(crate) url: String,
    tls: bool,
    host: String,
    port: u16,
}

/// Reads `mqtt://HOST[:PORT]` or `mqtts://HOST[:PORT]`.
///
/// # Errors
/// What is allowed.
pub(crate) fn broker(url: &str) -> Result<Broker, String> {
    let (tls, host, port) = broker_address(url)
        .ok_or("this is not the address of a broker; allowed is mqtt://HOST[:PORT] or mqtts://HOST[:PORT]")?;
    Ok(Broker { url: url.to_owned(), tls, host, port })
}

impl Access {
    /// A connection to this broker under a client id, and what a person sets where the broker takes another one only.
    ///
    /// # Errors
    /// Authorities to trust without TLS, or a file that cannot be read or does not hold what it should: no broker needs to be tried for that.
    pub(crate) fn settings(
        &self,
        broker: &Broker,
        client_id: String,
        named_by: &'static str,
    ) -> anyhow::Result<Settings> {
        ensure!(broker.tls || self.ca_file.is_none(), "--ca-file goes with mqtts://; mqtt:// has no use for it");
        let ca = self.ca_file.clone().unwrap_or_else(|| SYSTEM_AUTHORITIES.into());
        let settings = Settings {
            host: broker.host.clone(),
            port: broker.port,
            tls: broker.tls.then_some(Tls { ca, client: None }),
            client_id,
            username: self.username.clone(),
            password_file: self.password_file.clone(),
            keep_alive: KEEP_ALIVE,
            names: Names {
                url: "`--broker`",
                client_id: named_by,
                account: "`--username` and `--password-file`",
                authorities: "`--ca-file`",
                certificate: "tumblerctl has none: let `--broker` name a port that asks for user name and password instead",
            },
        };
        settings.consumer()?;
        Ok(settings)
    }
}

/// A word that nobody else has.
///
/// # Errors
/// The system gives no random numbers.
pub(crate) fn random() -> anyhow::Result<String> {
    let word = std::fs::read_to_string("/proc/sys/kernel/random/uuid").context("the system gives no random numbers")?;
    Ok(word.trim_end().to_owned())
}
