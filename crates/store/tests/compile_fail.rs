//! Each file in `compile_fail` misuses a proof and must not compile. To add one, add a file and its `.stderr` (`TRYBUILD=overwrite` writes
//! it).

#[test]
fn misused_proofs_do_not_compile() {
    trybuild::TestCases::new().compile_fail("tests/compile_fail/*.rs");
}
