//! The table as it happens, for one client: every record, and the newest state whenever it changes.

use super::lines::{self, Lines, NoLine};
use super::shared::Shared;
use tokio::io::{AsyncRead, AsyncWrite};
use tumbler_core::units::Seq;
use tumbler_core::wire::ask::{Reply, Said, Told};

/// Tells until the client hangs up or does not keep up. States are told in their newest form only; records are read from the
/// journal at the client's pace, so a slow one costs no memory.
///
/// # Errors
/// What the client did wrong, to be told before it is dropped.
pub(super) async fn watch<R, W>(id: u64, shared: &Shared, from: &mut Lines<R>, to: &mut W) -> Result<(), String>
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin,
{
    let mut snapshot = shared.snapshot.clone();
    let mut durable = shared.durable.clone();
    let mut relay = shared.relay.clone();
    let mut network = shared.network.clone();
    snapshot.mark_changed();
    let mut told: Seq = *durable.borrow_and_update();
    loop {
        tokio::select! {
            line = from.next() => return match line {
                Ok(Some(_)) => Err("after `watch` no more requests are taken here; open another connection".into()),
                // Who watches may be silent for as long as they like, but not stop half-way through a line.
                Err(NoLine::Idle(_)) => continue,
                Ok(None) | Err(NoLine::Gone) => Ok(()),
                Err(error) => Err(error.to_string()),
            },
            changed = snapshot.changed() => {
                if changed.is_err() {
                    return Ok(());
                }
                snapshot.mark_unchanged();
                if !say(to, id, shared.status()).await {
                    return Ok(());
                }
            }
            // Without a broker nobody holds the other end.
            Ok(()) = relay.changed() => {
                if !say(to, id, shared.status()).await {
                    return Ok(());
                }
            }
            Ok(()) = network.changed() => {
                if !say(to, id, shared.status()).await {
                    return Ok(());
                }
            }
            changed = durable.changed() => {
                if changed.is_err() {
                    return Ok(());
                }
                let tip = *durable.borrow_and_update();
                while told < tip {
                    let page = shared.page(told, u32::MAX).await?;
                    let Some(newest) = page.last() else { break };
                    told = newest.record.seq;
                    for record in page {
                        if !say(to, id, Told::Record(Box::new(record))).await {
                            return Ok(());
                        }
                    }
                }
            }
        }
    }
}

async fn say(to: &mut (impl AsyncWrite + Unpin), id: u64, told: Told) -> bool {
    lines::write(to, &Reply { id: Some(id), said: Said::Answer(told) }).await
}
