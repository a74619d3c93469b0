//! The devices that a configuration names, as a drop-in for the unit: it allows every kind that a table may have, and this
//! narrows it to those that this table has.

use crate::config::{Config, Hardware};
use std::io;
use std::path::Path;

/// A drop-in for `tumblerd.service` that allows only the devices which the configuration names, and what they need beside.
///
/// Whole classes of devices, as /proc/devices calls them, and not one node: a chip's number changes with the kernel, and an
/// adapter that was unplugged comes back under another one.
///
/// # Errors
/// The bus's port is not there, so that nothing tells what kind of device it is.
pub fn drop_in(config: &Config) -> io::Result<String> {
    let mut allowed = Vec::new();
    match &config.hardware {
        Hardware::Virtual { .. } => {}
        Hardware::Cdev { .. } => allowed.push("char-gpiochip".to_owned()),
        // Its registers are at the one or the other, by the board.
        Hardware::Rppal { .. } => {
            allowed.extend(["char-gpiochip", "/dev/gpiomem", "/dev/gpiomem0"].map(str::to_owned));
        }
    }
    if config.thermometer.is_some() {
        allowed.push("char-i2c".to_owned());
    }
    allowed.extend(serial(&config.bus.port.canonicalize()?));
    // The first, empty one forgets what the unit allows.
    let mut text = String::from("[Service]\nDeviceAllow=\n");
    for device in allowed {
        text.push_str("DeviceAllow=");
        text.push_str(&device);
        text.push_str(" rw\n");
    }
    if let Hardware::Rppal { speed: Some(_), .. } = config.hardware {
        text.push_str("# The PWM of the motor's speed is set there, and the unit sees it read-only.\n");
        text.push_str("ReadWritePaths=-/sys/devices/platform\n");
    }
    Ok(text)
}

/// The class of a serial port: the device's name without its number. A bench's pty needs none, systemd allows them all.
fn serial(port: &Path) -> Option<String> {
    let name = port.strip_prefix("/dev").ok()?;
    if name.starts_with("pts") {
        return None;
    }
    match name.file_name()?.to_str()?.trim_end_matches(|c: char| c.is_ascii_digit()) {
        class if class.starts_with("tty") => Some(format!("char-{class}")),
        _ => Some(port.display().to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_is_allowed_with_those_of_its_kind() {
        for (port, allowed) in [
            ("/dev/ttyUSB0", Some("char-ttyUSB")),
            ("/dev/ttyACM12", Some("char-ttyACM")),
            ("/dev/ttyAMA0", Some("char-ttyAMA")),
            ("/dev/ttyS0", Some("char-ttyS")),
            ("/dev/rs485", Some("/dev/rs485")),
            ("/dev/pts/3", None),
            ("/run/bus", None),
        ] {
            assert_eq!(serial(Path::new(port)).as_deref(), allowed, "{port}");
        }
    }
}
