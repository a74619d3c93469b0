//! `tumblerctl` with real tables and real brokers: daemons, mosquitto processes, and a floor of many tables.

mod daemon;
mod floor;
