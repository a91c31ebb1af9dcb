//! SVG icons. Each stands beside a text label, so they are hidden from screen readers.

use crate::page::NavItem;
use maud::{Markup, html};

pub(crate) fn logo() -> Markup {
    svg("M3 17l5-6 4 3 9-10")
}

pub(crate) fn nav_item(item: NavItem) -> Markup {
    svg(match item {
        NavItem::Today => {
            "M12 4v2M12 18v2M4 12h2M18 12h2M6.3 6.3l1.4 1.4M16.3 16.3l1.4 1.4M17.7 6.3l-1.4 1.4M7.7 16.3l-1.4 1.4M12 8.5a3.5 3.5 0 1 0 0 7a3.5 3.5 0 1 0 0-7z"
        }
        NavItem::Plan => "M5 6h14v13H5zM5 10h14M9 4v4M15 4v4M8.5 14.5l2 2 4-4",
        NavItem::Coach => "M4 5h16v11H10l-5 4v-4H4z",
        NavItem::Activities => "M5 7h14M5 12h14M5 17h9",
        NavItem::Trends => "M4 19V5M4 19h16M7 15l4-5 3 2 5-6",
        NavItem::Settings => "M5 7h9M18 7h1M5 12h2M11 12h8M5 17h7M16 17h3M14 5v4M7 10v4M12 15v4",
    })
}

fn svg(path: &str) -> Markup {
    html! {
        svg.icon viewBox="0 0 24 24" width="20" height="20" aria-hidden="true" focusable="false" { path d=(path) {} }
    }
}
