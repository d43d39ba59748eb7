//! Pinned play of this build. A commit that changes the number changes play and must say so.

use crate::golden;

#[test]
fn play_is_what_it_was() {
    golden::check("signature.txt", &format!("{}\n", gauntlet::arena::signature(&gauntlet::GAMES)));
}
