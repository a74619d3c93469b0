//! The panel over real sockets: what it answers, what it refuses, and whom it never holds up.

mod bench;
mod login;
mod looks;
mod pages;
mod stream;
mod workshop;
