//! Players that are other programs, and players that fail.

mod breakage;
mod contracts;
mod cpu_time;
mod external;
mod gomocup;
mod skipped;
