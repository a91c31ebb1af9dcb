use super::super::*;
use super::made::*;
use crate::plan::Level;

#[test]
fn look() {
    for level in Level::ALL {
        let (made, athlete) = sound(*level);
        for f in made.lint(&athlete) {
            println!("{level} {} {} {:?} {:?} {}", f.rule, f.severity, f.value, f.limit, f.text);
        }
    }
}
