#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fitness_core::llm_output::fuzzing::contract(bytes));
