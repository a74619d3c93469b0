//! Heads of journals that a broker kept for an auditor: fetched into a file, which no table can write.

use crate::broker::{HELP, helped};
use anyhow::{Context, bail};
use rumqttc::v5::mqttbytes::QoS;
use rumqttc::v5::mqttbytes::v5::{Packet, Publish, SubscribeReasonCode};
use rumqttc::v5::{AsyncClient, Event};
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::Path;
use std::time::Duration;
use tokio::time::timeout;
use tumblerd::journal::ToldHead;
use tumblerd::relay::{Settings, Trouble};

/// What tables tell of their records.
const TOPIC: &str = "taisai/+/+/event";
/// How long the broker keeps the session of an auditor who does not come back, in seconds: 30 days.
const KEPT: u32 = 30 * 86_400;
/// Longest wait for the broker's answer.
const ANSWERS: Duration = Duration::from_secs(10);
/// The broker has told all that it kept when nothing came for so long.
const QUIET: Duration = Duration::from_secs(2);
/// Messages that the broker sends before it has acknowledgements: each of these has room in the client's queue.
const IN_FLIGHT: u16 = 64;
/// Messages after which fetching ends, however much more there is: the next call goes on.
const MOST: u64 = 1_000_000;

/// What was fetched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Fetched {
    /// Records that are now in the file.
    pub(crate) records: u64,
    /// Messages that were no records.
    pub(crate) strange: u64,
    /// Whether the broker had kept a session under this name; if not, it does from now on.
    pub(crate) kept: bool,
}

/// Appends to `file` what the broker kept for this session, a record a line. What is not in the file is kept on by the broker.
///
/// # Errors
/// The broker cannot be reached or refuses, or the file cannot be written.
pub(crate) fn fetch(settings: &Settings, file: &Path) -> anyhow::Result<Fetched> {
    let unwritable = || format!("the heads cannot be written to {}", file.display());
    let mut output = OpenOptions::new().create(true).read(true).append(true).open(file).with_context(unwritable)?;
    mend(&mut output).with_context(unwritable)?;
    let mut options = settings.consumer()?;
    options.set_clean_start(false);
    options.set_session_expiry_interval(Some(KEPT));
    options.set_manual_acks(true);
    options.set_receive_maximum(Some(IN_FLIGHT));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let (client, mut events) = AsyncClient::new(options, 2 * usize::from(IN_FLIGHT));
        let mut fetched = Fetched::default();
        let (mut is_answered, mut is_subscribed) = (false, false);
        while fetched.records + fetched.strange < MOST {
            let patience = if is_subscribed { QUIET } else { ANSWERS };
            let packet = match timeout(patience, events.poll()).await {
                Ok(Ok(Event::Incoming(packet))) => packet,
                Ok(Ok(Event::Outgoing(_))) => continue,
                Ok(Err(error)) => {
                    let trouble = if is_answered {
                        Trouble::of(&error, settings)
                    } else {
                        Trouble::before_answer(&error, settings, None)
                    };
                    bail!(helped(&trouble))
                }
                Err(_) if is_subscribed => break,
                Err(_) => bail!("the broker did not answer within {} s; {HELP}", ANSWERS.as_secs()),
            };
            match packet {
                Packet::ConnAck(answer) => {
                    is_answered = true;
                    fetched.kept = answer.session_present;
                    client.try_subscribe(TOPIC, QoS::AtLeastOnce)?;
                }
                Packet::SubAck(answer) => match answer.return_codes.first() {
                    Some(SubscribeReasonCode::Success(_)) => is_subscribed = true,
                    code => bail!("{} refuses the subscription to {TOPIC} ({code:?}); {HELP}", settings.broker()),
                },
                Packet::Publish(message) => {
                    take(&message, &mut output, &mut fetched).with_context(unwritable)?;
                    // Only now may the broker forget it.
                    client.try_ack(&message)?;
                }
                _ => {}
            }
        }
        client.try_disconnect()?;
        // The good-bye and the last acknowledgements leave with it.
        while let Ok(Ok(event)) = timeout(QUIET, events.poll()).await {
            if matches!(event, Event::Outgoing(rumqttc::Outgoing::Disconnect)) {
                break;
            }
        }
        Ok(fetched)
    })
}

/// Takes a last line away that a cut tore: it was not acknowledged before it was whole, so the broker has that record still.
fn mend(file: &mut File) -> std::io::Result<()> {
    let mut text = Vec::new();
    file.read_to_end(&mut text)?;
    let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let last = text.get(whole..).unwrap_or_default();
    if std::str::from_utf8(last).is_ok_and(|line| ToldHead::parse(line).is_ok()) {
        return file.write_all(b"\n");
    }
    if last.is_empty() { Ok(()) } else { file.set_len(u64::try_from(whole).unwrap_or(u64::MAX)) }
}

fn take(message: &Publish, output: &mut File, fetched: &mut Fetched) -> anyhow::Result<()> {
    let line =
        std::str::from_utf8(&message.payload).ok().filter(|text| !text.contains('\n') && ToldHead::parse(text).is_ok());
    let Some(line) = line else {
        fetched.strange += 1;
        return Ok(());
    };
    output.write_all(format!("{line}\n").as_bytes())?;
    output.sync_data()?;
    fetched.records += 1;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_a_cut_tore_is_taken_away() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("heads");
        let line =
            include_str!("../../docs/mqtt.md").lines().find(|line| line.starts_with("{\"v\":1,\"stream\"")).unwrap();
        for (text, left) in [
            (format!("{line}\n"), format!("{line}\n")),
            (format!("{line}\n{}", &line[..90]), format!("{line}\n")),
            (line.to_owned(), format!("{line}\n")),
            (line[..90].to_owned(), String::new()),
            (String::new(), String::new()),
        ] {
            std::fs::write(&file, &text).unwrap();
            mend(&mut OpenOptions::new().read(true).append(true).open(&file).unwrap()).unwrap();
            assert_eq!(std::fs::read_to_string(&file).unwrap(), left);
        }
    }
}
