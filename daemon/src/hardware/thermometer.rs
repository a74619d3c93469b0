//! The motor's temperature: an LM75 type of sensor (TMP105, TMP75, DS75 and others have its registers) on the Pi's I2C bus,
//! read on a thread of its own, for a bus that hangs holds whoever waits for it.
//!
//! It reads, and judges nothing: a reading that fails goes to the table as such, and the table knows how long it can do
//! without.

use crate::run::inbox::Inbox;
use anyhow::Context as _;
use embedded_hal::i2c::I2c;
use linux_embedded_hal::I2cdev;
use lm75::Lm75;
use std::fmt;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;
use tumbler_core::input::Input;
use tumbler_core::units::{MilliCelsius, Millis};

/// Readings in the longest time that the table can do without one: three in a row may fail, and nothing is said of it.
const READINGS: u32 = 4;

/// The sensor's type: what its temperature register holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Steps of 0.5 K: the upper nine bits, which every sensor of the family has.
    Lm75,
    /// Steps of 0.125 K in the upper eleven bits (NXP PCT2075 data sheet, "Temp register").
    Pct2075,
}

/// Where the sensor is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Its type.
    pub kind: Kind,
    /// The bus's device, such as `/dev/i2c-1`.
    pub bus: PathBuf,
    /// Its address on the bus, 7 bits.
    pub address: u8,
}

/// Reads the sensor on the calling thread until the control loop has ended. `stale` is the longest time that the table can
/// do without a reading.
///
/// # Errors
/// None: trouble with bus and sensor is told to the table, and the log.
pub fn run(settings: &Settings, stale: Millis, inbox: &Inbox) -> anyhow::Result<()> {
    let period = Duration::from_millis(u64::from(stale.0)) / READINGS;
    let mut bus = None;
    let mut told: Option<String> = None;
    loop {
        let read = read(settings, &mut bus);
        match &read {
            Ok(_) if told.take().is_some() => {
                tracing::info!(sensor = %settings, "the motor's temperature is read again")
            }
            Ok(_) => {}
            Err(error) => {
                let reason = format!("{error:#}");
                if told.as_ref() != Some(&reason) {
                    tracing::warn!(sensor = %settings, reason, "the motor's temperature cannot be read; trying again");
                    told = Some(reason);
                }
            }
        }
        if inbox.blocking_send(Input::Temperature { reading: read.ok() }).is_err() {
            return Ok(());
        }
        thread::sleep(period);
    }
}

impl fmt::Display for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#04x} on {}", self.address, self.bus.display())
    }
}

/// A reading from `bus`, which is opened where there is none, and given up when it fails: its adapter may have gone.
fn read(settings: &Settings, bus: &mut Option<I2cdev>) -> anyhow::Result<MilliCelsius> {
    let open = match bus.take() {
        Some(open) => Ok(open),
        None => I2cdev::new(&settings.bus).context(
            "the bus cannot be opened (dtparam=i2c_arm=on in /boot/firmware/config.txt, module i2c-dev, group i2c)",
        ),
    };
    let mut open = open?;
    let reading = measure(settings, &mut open)?;
    *bus = Some(open);
    Ok(reading)
}

/// Asks the sensor itself. It is switched on first: one that was shut down answers with its last temperature for ever.
fn measure<B>(settings: &Settings, bus: B) -> anyhow::Result<MilliCelsius>
where
    B: I2c,
    B::Error: std::error::Error + Send + Sync + 'static,
{
    let celsius = match settings.kind {
        Kind::Lm75 => {
            let mut sensor = Lm75::new(bus, settings.address);
            sensor.enable().and_then(|()| sensor.read_temperature())
        }
        Kind::Pct2075 => {
            let mut sensor = Lm75::new_pct2075(bus, settings.address);
            sensor.enable().and_then(|()| sensor.read_temperature())
        }
    };
    match celsius {
        Ok(celsius) => Ok(milli(celsius)),
        Err(lm75::Error::I2C(error)) => Err(anyhow::Error::new(error).context("the sensor does not answer")),
        Err(lm75::Error::InvalidInputData) => Err(anyhow::anyhow!("the driver refuses what it is asked")),
    }
}

/// Degrees in thousandths. What such a sensor can say, eighths from -128 to 128 C, is exact in both.
fn milli(celsius: f32) -> MilliCelsius {
    #[expect(clippy::cast_possible_truncation, reason = "the sensor's eleven bits, in thousandths, are at most 128000")]
    MilliCelsius((celsius * 1000.0) as i32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use embedded_hal::i2c::{ErrorKind, ErrorType, NoAcknowledgeSource, Operation};

    /// A sensor's registers at an address: what the data sheet says of temperature (0) and configuration (1).
    #[derive(Debug)]
    struct Registers {
        address: u8,
        temperature: [u8; 2],
        configuration: u8,
    }

    #[derive(Debug, thiserror::Error)]
    #[error("no acknowledgement")]
    struct Silent;

    impl embedded_hal::i2c::Error for Silent {
        fn kind(&self) -> ErrorKind {
            ErrorKind::NoAcknowledge(NoAcknowledgeSource::Address)
        }
    }

    impl ErrorType for Registers {
        type Error = Silent;
    }

    impl I2c for Registers {
        fn transaction(&mut self, address: u8, operations: &mut [Operation<'_>]) -> Result<(), Silent> {
            if address != self.address {
                return Err(Silent);
            }
            match operations {
                [Operation::Write([0]), Operation::Read(into)] => into.copy_from_slice(&self.temperature),
                [Operation::Write([1, configuration])] => self.configuration = *configuration,
                other => panic!("a sensor knows nothing of {other:?}"),
            }
            Ok(())
        }
    }

    fn measured(kind: Kind, temperature: [u8; 2]) -> i32 {
        let mut registers = Registers { address: 0x48, temperature, configuration: 1 };
        let settings = Settings { kind, bus: "/dev/i2c-1".into(), address: 0x48 };
        let read = measure(&settings, &mut registers).unwrap();
        assert_eq!(registers.configuration, 0, "it was shut down, and is switched on");
        read.0
    }

    /// Values of the table in NXP's data sheet of the LM75B ("Temp register value"), which are those of the PCT2075 too.
    #[test]
    fn the_register_is_read_as_the_data_sheet_has_it() {
        for (register, lm75, pct2075) in [
            ([0x7f, 0x00], 127_000, 127_000),
            ([0x7e, 0xe0], 126_500, 126_875),
            ([0x19, 0x00], 25_000, 25_000),
            ([0x00, 0x20], 0, 125),
            ([0x00, 0x00], 0, 0),
            ([0xff, 0xe0], -500, -125),
            ([0xe7, 0x00], -25_000, -25_000),
            ([0xc9, 0x00], -55_000, -55_000),
            // Twelve bits, as a TMP105 can be set to: what is finer is left out.
            ([0x50, 0x90], 80_500, 80_500),
        ] {
            assert_eq!(
                (measured(Kind::Lm75, register), measured(Kind::Pct2075, register)),
                (lm75, pct2075),
                "{register:x?}"
            );
        }
    }

    #[test]
    fn a_sensor_that_does_not_answer_is_an_error_that_says_so() {
        let registers = Registers { address: 0x49, temperature: [0; 2], configuration: 0 };
        let settings = Settings { kind: Kind::Lm75, bus: "/dev/i2c-1".into(), address: 0x48 };
        let error = measure(&settings, registers).unwrap_err();
        assert_eq!(format!("{error:#}"), "the sensor does not answer: no acknowledgement");
        assert_eq!(settings.to_string(), "0x48 on /dev/i2c-1");
    }

    #[test]
    fn a_bus_that_is_not_there_is_a_lost_reading_until_the_control_loop_ends() {
        let settings = Settings { kind: Kind::Lm75, bus: "/dev/no-such-bus".into(), address: 0x48 };
        let error = read(&settings, &mut None).unwrap_err();
        assert!(format!("{error:#}").starts_with("the bus cannot be opened (dtparam=i2c_arm=on"), "{error:#}");
        let (inbox, mut arrivals) = crate::run::inbox::inbox();
        let reader = thread::spawn(move || run(&settings, Millis(4), &inbox));
        for _ in 0..3 {
            assert_eq!(arrivals.blocking_recv().unwrap().input, Input::Temperature { reading: None });
        }
        drop(arrivals);
        assert!(reader.join().unwrap().is_ok());
    }
}
