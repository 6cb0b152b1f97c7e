#[test]
fn emit() {
    use quorate_generator::typescript::Package;
    let only = std::env::var("BLOCKS").unwrap_or_default();
    for block in quorate_generator::blocks().unwrap() {
        if !only.is_empty() && !only.split(' ').any(|one| block.path.starts_with(one)) {
            continue;
        }
        for (folder, package) in
            [("node", Package::Node), ("web", Package::Web), ("certificate", Package::Certificate)]
        {
            let dir = format!("/tmp/js/gen/{folder}");
            std::fs::create_dir_all(&dir).unwrap();
            if let Some(text) = quorate_generator::typescript::emit(&block, package) {
                std::fs::write(format!("{dir}/{}.ts", block.name), text).unwrap();
            }
        }
    }
    let classes = quorate_generator::errors::classes().unwrap();
    std::fs::create_dir_all("/tmp/js/gen/common").unwrap();
    std::fs::write("/tmp/js/gen/common/errors.ts", quorate_generator::errors::typescript::emit(&classes))
        .unwrap();
    std::fs::write(
        "/tmp/js/gen/common/public-errors.ts",
        quorate_generator::errors::typescript::public(&classes),
    )
    .unwrap();
}
