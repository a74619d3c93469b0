//! `tumblerctl floor`: every table of a site, from what the broker keeps and what the tables tell.

mod feed;
mod model;
mod name;
mod page;
mod table;
mod text;
mod told;

use crate::broker::{Access, Broker, HELP, broker, helped, random};
use crate::ending::{self, Ended};
use crate::floor::feed::{News, follow};
use crate::floor::model::{Condition, Floor, Picture};
use crate::say;
use crate::screen::{self, Page, Shown};
use anyhow::{bail, ensure};
use std::io::IsTerminal;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout};

/// Longest time for `--once` to see what the broker keeps.
const ONCE: Duration = Duration::from_secs(10);
/// Shortest time between two pictures of `--json`.
const PACE: Duration = Duration::from_secs(1);
/// Show every table of a site: rewritten journals first, then faults, silent tables, and those of which records were missed
///
/// Needs no daemon, only the broker that the tables tell what they do, and publishes nothing there. A table is silent when it is
/// not connected, or when it is open for gaming and has told nothing for a while. On a terminal the picture is kept up to date:
/// q ends it, the arrow keys and Page Up and Page Down move through the tables.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tumblerctl floor --broker mqtt://10.0.0.5\n  \
    tumblerctl floor --broker mqtts://pit.example --ca-file ca.pem --username display --password-file pw --site pit\n  \
    tumblerctl floor --broker mqtt://10.0.0.5 --listen 127.0.0.1:8090\n  \
    tumblerctl floor --broker mqtt://10.0.0.5 --once --json | jq '.tables[] | select(.condition == \"fault\")'")]
pub(crate) struct Arguments {
    /// The broker: mqtt://HOST[:PORT] or mqtts://HOST[:PORT]
    #[arg(long, value_name = "URL", env = "TUMBLERCTL_BROKER", value_parser = broker)]
    broker: Broker,
    #[command(flatten)]
    access: Access,
    /// Only the tables of this site; all unless given
    #[arg(long, value_name = "SITE", value_parser = site)]
    site: Option<String>,
    /// How long a table that is open for gaming may tell nothing until it counts as silent
    #[arg(long, value_name = "SECONDS", default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    silent_after: u64,
    /// Print the floor as it is now, and end; exits with 1 where tables may be left out, or none is known
    #[arg(long)]
    once: bool,
    /// Say in one line how the floor stands, for a monitor, and exit as Nagios has it: 2 where a table is blocked, silent or rewritten, 1
    /// where records were missed or tables may be left out, 3 where no table is known, else 0
    #[arg(long, conflicts_with_all = ["once", "json", "listen"])]
    check: bool,
    /// Show the floor in browsers instead, as a page at this address (port 0: a free one). Whoever reaches it may look
    #[arg(long, value_name = "ADDRESS:PORT", conflicts_with = "once")]
    listen: Option<SocketAddr>,
}

pub(crate) fn site(name: &str) -> Result<String, String> {
    let whole = !name.is_empty() && !name.contains(['/', '+', '#']);
    whole
        .then(|| name.to_owned())
        .ok_or_else(|| "a site is one word of a topic: not empty, without `/`, `+` and `#`".to_owned())
}

/// The floor, and the clock that it goes by.
struct View {
    floor: Floor,
    began: Instant,
}

impl View {
    fn take(&mut self, news: News) {
        let now_ms = self.now_ms();
        match news {
            News::Connected => self.floor.connected(now_ms),
            News::Message { topic, payload, kept } => self.floor.take(&topic, &payload, kept, now_ms),
            News::Told { kept, .. } => self.floor.told(kept),
            News::Lost(trouble) => self.floor.lost(trouble.what, now_ms),
        }
    }

    fn picture(&self) -> Picture {
        self.floor.picture(self.now_ms())
    }

    fn now_ms(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}

/// The floor as a terminal shows it.
struct OnScreen<'a> {
    view: View,
    broker: &'a str,
}

impl Shown for OnScreen<'_> {
    type News = News;

    fn take(&mut self, news: News) -> anyhow::Result<()> {
        self.view.take(news);
        Ok(())
    }

    fn page(&self, columns: usize) -> Page {
        let picture = self.view.picture();
        let (head, tables) = text::lines(&picture, columns);
        let rows = tables.into_iter().map(|(condition, text)| {
            let style = match condition {
                Condition::Rewritten | Condition::Fault => "1;31",
                Condition::Silent => "1;33",
                Condition::Gap => "36",
                Condition::Fine => "",
            };
            (style, text)
        });
        let title = (if picture.connected { "1" } else { "1;31" }, text::summary(&picture, self.broker));
        Page { title, head: Some(head), rows: rows.collect(), what: "tables" }
    }
}

pub(crate) fn run(of: &Arguments, json: bool) -> anyhow::Result<Ended> {
    let name = format!("tumblerctl-floor-{}", random()?.split('-').next().unwrap_or_default());
    let settings = match of.access.settings(&of.broker, name, "`--username`") {
        Err(error) if of.check => return ending::watched(Err(error)),
        settings => settings?,
    };
    let is_screen = !of.once && !of.check && !json && of.listen.is_none();
    if is_screen && !std::io::stdout().is_terminal() {
        bail!("standard output is no terminal: add --once, --json or --listen");
    }
    let filter = format!("taisai/{}/+", of.site.as_deref().unwrap_or("+"));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut view = View { floor: Floor::new(Duration::from_secs(of.silent_after)), began: Instant::now() };
        let mut news = follow(settings, filter);
        if of.check {
            let looked = once(&mut view, &mut news).await;
            return ending::watched(looked.map(|picture| text::watched(&picture, &of.broker.url, of.site.as_deref())));
        } else if of.once {
            let picture = once(&mut view, &mut news).await?;
            if json {
                say::json(&picture)?
            } else {
                say::line(&text::whole(&picture, &of.broker.url))?
            }
            if picture.tables.is_empty() {
                say::complain(&text::nothing(&of.broker.url, of.site.as_deref()));
                return Ok(Ended::Refused);
            }
            return Ok(if picture.left_out.is_some() { Ended::Refused } else { Ended::Done });
        } else if let Some(address) = of.listen {
            page::serve(&mut view, &mut news, &of.broker.url, address).await?;
        } else if json {
            pictures(&mut view, &mut news).await?;
        } else {
            screen::show(&mut OnScreen { view, broker: &of.broker.url }, &mut news).await?;
        }
        Ok(Ended::Done)
    })
}

/// The floor as it is now.
async fn once(view: &mut View, news: &mut mpsc::Receiver<News>) -> anyhow::Result<Picture> {
    let mut is_connected = false;
    let caught_up = async {
        loop {
            let Some(item) = news.recv().await else { return Ok(()) };
            match &item {
                News::Connected => is_connected = true,
                News::Lost(trouble) => bail!("not connected to the broker: {}", helped(trouble)),
                News::Message { .. } | News::Told { .. } => {}
            }
            let is_all = matches!(item, News::Told { is_last: true, .. });
            view.take(item);
            if is_all {
                return Ok(());
            }
        }
    };
    match timeout(ONCE, caught_up).await {
        Ok(ended) => ended?,
        // A broker that is slow, or on which something happens all the time.
        Err(_) => view.floor.cut(),
    }
    ensure!(is_connected, "the broker cannot be reached: it did not answer within {} s; {HELP}", ONCE.as_secs());
    Ok(view.picture())
}

/// A picture a line, whenever something came.
async fn pictures(view: &mut View, news: &mut mpsc::Receiver<News>) -> anyhow::Result<()> {
    while let Some(item) = news.recv().await {
        view.take(item);
        let pace = tokio::time::sleep(PACE);
        tokio::pin!(pace);
        loop {
            tokio::select! {
                item = news.recv() => match item {
                    Some(item) => view.take(item),
                    None => break,
                },
                () = &mut pace => break,
            }
        }
        say::json(&view.picture())?;
    }
    Ok(())
}
