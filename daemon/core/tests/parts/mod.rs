//! The core's parts by themselves, at the edges of what each is told. What they make together is judged by the scenarios.

mod ask;
mod devices;
mod dice;
mod limits;
mod lines;
mod probes;
mod reader;
mod standing;
mod terminal;
mod tumbler;
