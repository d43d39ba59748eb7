#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gauntlet_fuzz::network(data));
