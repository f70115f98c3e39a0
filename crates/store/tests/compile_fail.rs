//! Every misuse of the proofs is a program that does not compile. To add one, add a file and its `.stderr`
//! (`TRYBUILD=overwrite` writes it).

#[test]
fn misused_proofs_do_not_compile() {
    trybuild::TestCases::new().compile_fail("tests/compile_fail/*.rs");
}
