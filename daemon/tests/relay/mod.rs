//! The relay against real brokers: mosquitto processes of the test's own, some behind a tap that can also cut the line.

mod bench;
mod delivery;
mod hostile;
mod retained;
mod tap;
mod tls;
mod trouble;
