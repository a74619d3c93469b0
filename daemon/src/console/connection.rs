//! One client: its requests, one after another.

use super::lines::{self, Lines};
use super::shared::Shared;
use super::watch;
use tokio::io::{AsyncRead, AsyncWrite};
use tumbler_core::units::Seq;
use tumbler_core::wire::ask::{Ask, Query, Reply, Request, Said, Told};
use tumbler_core::wire::console::Caller;
use tumbler_core::wire::unique::Unique;

/// Answers requests until the client hangs up, does wrong, or does not keep up.
pub(super) async fn serve<R, W>(shared: &Shared, caller: &Caller, from: R, mut to: W)
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin,
{
    let mut from = Lines::new(from);
    loop {
        let line = match from.next().await {
            Ok(Some(line)) => line,
            Ok(None) => return,
            Err(error) => {
                lines::write(&mut to, &Reply { id: None, said: Said::Error(error.to_string()) }).await;
                return;
            }
        };
        let request: Request = match serde_json::from_slice(&line) {
            Ok(request) => request,
            Err(error) => {
                let said = Said::Error(format!("this is no request: {error}"));
                lines::write(&mut to, &Reply { id: number(&line), said }).await;
                return;
            }
        };
        let id = request.id;
        let answered = match request.ask {
            Ask::Query(Query::Watch) => {
                let Err(error) = watch::watch(id, shared, &mut from, &mut to).await else { return };
                lines::write(&mut to, &Reply { id: Some(id), said: Said::Error(error) }).await;
                return;
            }
            Ask::Query(query) => answer(shared, id, query, &mut to).await,
            Ask::Command(command) => match shared.commands.command(caller.clone(), command).await {
                Ok(answer) => Ok(say(&mut to, id, answer.into()).await),
                Err(error) => Err(error.to_string()),
            },
        };
        let is_there = match answered {
            Ok(is_there) => is_there,
            Err(error) => lines::write(&mut to, &Reply { id: Some(id), said: Said::Error(error) }).await,
        };
        if !is_there {
            return;
        }
    }
}

/// Answers a question; says whether the client is still there.
async fn answer(shared: &Shared, id: u64, query: Query, to: &mut (impl AsyncWrite + Unpin)) -> Result<bool, String> {
    match query {
        Query::Status | Query::Watch => Ok(say(to, id, shared.status()).await),
        Query::Faults => Ok(say(to, id, shared.faults()).await),
        Query::Wires => Ok(say(to, id, shared.wires()).await),
        Query::Rounds { last } => {
            let tip = shared.tip();
            for round in shared.rounds(last).await? {
                if !say(to, id, Told::Round(Box::new(round))).await {
                    return Ok(false);
                }
            }
            Ok(say(to, id, Told::End { last: tip }).await)
        }
        Query::Round { round } => {
            let tip = shared.tip();
            for record in shared.round(round).await? {
                if !say(to, id, Told::Record(Box::new(record))).await {
                    return Ok(false);
                }
            }
            Ok(say(to, id, Told::End { last: tip }).await)
        }
        Query::Events { after, limit } => {
            Shared::may_ask(limit)?;
            let tip = shared.tip();
            if !events(shared, id, after, limit, to).await? {
                return Ok(false);
            }
            Ok(say(to, id, Told::End { last: tip }).await)
        }
    }
}

/// Tells records page by page; says whether the client is still there.
async fn events(
    shared: &Shared,
    id: u64,
    mut after: Seq,
    mut limit: u32,
    to: &mut (impl AsyncWrite + Unpin),
) -> Result<bool, String> {
    while limit > 0 {
        let page = shared.page(after, limit).await?;
        let Some(newest) = page.last() else { break };
        after = newest.record.seq;
        limit = limit.saturating_sub(u32::try_from(page.len()).unwrap_or(u32::MAX));
        for record in page {
            if !say(to, id, Told::Record(Box::new(record))).await {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

async fn say(to: &mut (impl AsyncWrite + Unpin), id: u64, told: Told) -> bool {
    lines::write(to, &Reply { id: Some(id), said: Said::Answer(told) }).await
}

/// The number of a request that cannot be read otherwise, so that the client knows which one it was.
fn number(line: &[u8]) -> Option<u64> {
    serde_json::from_slice::<Unique>(line).ok()?.0.get("id")?.as_u64()
}
