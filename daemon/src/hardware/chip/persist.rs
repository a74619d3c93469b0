//! Pins that stay as they are when the daemon dies.

use std::fs;

/// Where the kernel says whether outputs of a Raspberry Pi outlive the process that drove them. Raspberry Pi's own
/// kernels have it on: measured, `motor_enable` then stays high after a kill and even after a normal end.
const PARAMETER: &str = "/sys/module/pinctrl_bcm2835/parameters/persist_gpio_outputs";

/// Warns with the remedy where outputs outlive the daemon. The dead-man relay stops the motor all the same.
pub fn warn_of_persistent_outputs() {
    if persists(fs::read_to_string(PARAMETER).ok().as_deref()) {
        tracing::warn!(
            parameter = PARAMETER,
            "outputs keep their level when the daemon dies, so that only the dead-man relay stops the motor then; \
             put pinctrl_bcm2835.persist_gpio_outputs=n into /boot/firmware/cmdline.txt and reboot"
        );
    }
}

fn persists(parameter: Option<&str>) -> bool {
    parameter.is_some_and(|text| matches!(text.trim(), "Y" | "y" | "1"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_persist_where_the_kernel_says_so() {
        assert_eq!([Some("Y\n"), Some("N\n"), None].map(persists), [true, false, false]);
    }
}
