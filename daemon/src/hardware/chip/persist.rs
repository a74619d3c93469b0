//! Pins that stay as they are when the daemon dies.

use std::fs;

/// The kernel's driver of a chip, if it is one whose outputs may outlive the process that drove them. Raspberry Pi's own kernels
/// have both do so: measured, `motor_enable` then stays high after a kill and even after a normal end.
fn driver(label: &str) -> Option<&'static str> {
    match label {
        "pinctrl-bcm2835" | "pinctrl-bcm2711" => Some("pinctrl_bcm2835"),
        "pinctrl-rp1" => Some("pinctrl_rp1"),
        _ => None,
    }
}

/// Warns with the remedy where the outputs of the chip with this label outlive the daemon. The dead-man relay stops the motor
/// all the same.
pub(super) fn warn_of_persistent_outputs(label: &str) {
    let Some(driver) = driver(label) else { return };
    let parameter = format!("/sys/module/{driver}/parameters/persist_gpio_outputs");
    if persists(fs::read_to_string(&parameter).ok().as_deref()) {
        tracing::warn!(
            parameter,
            "outputs keep their level when the daemon dies, so that only the dead-man relay stops the motor then; \
             put dtparam=strict_gpiod into /boot/firmware/config.txt, or {driver}.persist_gpio_outputs=n into \
             /boot/firmware/cmdline.txt, and reboot"
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

    #[test]
    fn each_board_has_its_own_parameter() {
        let of = ["pinctrl-bcm2835", "pinctrl-bcm2711", "pinctrl-rp1", "gpio-sim"].map(driver);
        assert_eq!(of, [Some("pinctrl_bcm2835"), Some("pinctrl_bcm2835"), Some("pinctrl_rp1"), None]);
    }
}
