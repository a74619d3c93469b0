//! Wall time as people read it.

use crate::prelude::*;

/// Wall time in milliseconds since 1970 as `2026-11-21 03:04:05Z`.
#[must_use]
pub fn shown(ms: i64) -> String {
    let seconds = ms.div_euclid(1000);
    let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    // Days to civil date: H. Hinnant, "chrono-compatible low-level date algorithms".
    let z = days + 719_468;
    let era = z.div_euclid(146_097);
    let day_of_era = z.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02} {:02}:{:02}:{:02}Z", second / 3600, second / 60 % 60, second % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wall_time_is_utc() {
        assert_eq!(shown(0), "1970-01-01 00:00:00Z");
        assert_eq!(shown(951_827_696_789), "2000-02-29 12:34:56Z");
        assert_eq!(shown(1_795_231_445_000), "2026-11-21 03:24:05Z");
        assert_eq!(shown(-1), "1969-12-31 23:59:59Z");
    }
}
