//! Page layout: document head, navigation, freshness line, demo banner; and the context of a page.

use crate::app::App;
use crate::assets;
use crate::auth::routes::FORM_TOKEN_FIELD;
use crate::auth::session::CurrentUser;
use crate::components::freshness::{self, DataStatus};
use crate::components::icon;
use crate::http::error::PageError;
use crate::http::flash::Flash;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderValue, Method, header};
use axum::response::{IntoResponse, Response};
use fitness_core::domain::athlete::Profile;
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::ids::UserId;
use fitness_core::domain::units::UnitSystem;
use fitness_core::domain::untrusted_text::escape_invisible;
use fitness_core::string_enum;
use fitness_store::Store;
use maud::{DOCTYPE, Markup, html};

/// Setting key of the colour theme.
pub(crate) const THEME_SETTING: &str = "theme";
/// Setting key of the keyboard shortcuts.
pub(crate) const SHORTCUTS_SETTING: &str = "keys";

/// Browsers may load only from this server.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
    manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

string_enum! {
    #[derive(Default)]
    pub(crate) enum Theme("theme") {
        #[default]
        System = "system",
        Light = "light",
        Dark = "dark",
    }
}

/// Items of the main navigation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NavItem {
    Today,
    Plan,
    Coach,
    Activities,
    Trends,
    Settings,
}

impl NavItem {
    const ALL: [Self; 6] =
        [Self::Today, Self::Plan, Self::Coach, Self::Activities, Self::Trends, Self::Settings];

    const fn path_label_shortcut(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Today => ("/", "Today", "g t"),
            Self::Plan => ("/plan", "Plan", "g p"),
            Self::Coach => ("/coach", "Coach", "g c"),
            Self::Activities => ("/activities", "Activities", "g a"),
            Self::Trends => ("/trends", "Trends", "g r"),
            Self::Settings => ("/settings", "Settings", "g s"),
        }
    }

    /// Loaded in addition to `app.css`.
    const fn stylesheet(self) -> &'static str {
        match self {
            Self::Today => "today.css",
            Self::Plan => "plan.css",
            Self::Coach => "coach.css",
            Self::Activities | Self::Trends => "history.css",
            Self::Settings => "settings.css",
        }
    }
}

/// The signed-in user and everything a page needs about them. An extractor.
#[derive(Debug)]
pub(crate) struct PageContext {
    pub(crate) app: App,
    pub(crate) current_user: CurrentUser,
    pub(crate) name: String,
    pub(crate) profile: Profile,
    pub(crate) now: Instant,
    pub(crate) today: Day,
    pub(crate) freshness: DataStatus,
    theme: Theme,
    has_shortcuts: bool,
    flash: Option<Flash>,
    /// Path and query of a GET; `/plan` for a POST.
    requested_path: String,
}

impl FromRequestParts<App> for PageContext {
    type Rejection = PageError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, PageError> {
        let current_user = CurrentUser::from_request_parts(parts, app).await?;
        let mut view = Self::load(app, current_user).await?;
        view.flash = parts.uri.query().and_then(Flash::from_query);
        if parts.method == Method::GET {
            view.requested_path = parts.uri.path_and_query().map(ToString::to_string).unwrap_or_default();
        }
        Ok(view)
    }
}

impl PageContext {
    pub(crate) async fn load(app: &App, current_user: CurrentUser) -> Result<Self, PageError> {
        let store = &app.store;
        let now = (app.clock)();
        let profile = store.profile(current_user.user).await?;
        let fresh = freshness::load(store, current_user.user).await?;
        Ok(Self {
            name: store.user(current_user.user).await?.name,
            today: Day::at(now, profile.zone),
            theme: store.find_setting(current_user.user, THEME_SETTING).await?.unwrap_or_default(),
            has_shortcuts: store.find_setting(current_user.user, SHORTCUTS_SETTING).await?.unwrap_or(true),
            app: app.clone(),
            current_user,
            profile,
            now,
            freshness: fresh,
            flash: None,
            requested_path: "/plan".to_owned(),
        })
    }

    pub(crate) const fn theme(&self) -> Theme {
        self.theme
    }

    /// Whether single-key shortcuts are enabled.
    pub(crate) const fn has_shortcuts(&self) -> bool {
        self.has_shortcuts
    }

    pub(crate) const fn user(&self) -> UserId {
        self.current_user.user
    }

    /// Redirects to "Confirm it's you" while this browser may not make decisions.
    pub(crate) fn require_confirmed(&self) -> Result<(), PageError> {
        if self.current_user.is_confirmed {
            Ok(())
        } else {
            Err(PageError::confirmation_required(&self.requested_path))
        }
    }

    pub(crate) const fn store(&self) -> &Store {
        &self.app.store
    }

    pub(crate) const fn units(&self) -> UnitSystem {
        self.profile.units
    }

    /// The hidden CSRF field that every form needs.
    pub(crate) fn token_field(&self) -> Markup {
        html! { input type="hidden" name=(FORM_TOKEN_FIELD) value=(self.current_user.form_token()); }
    }

    pub(crate) fn post_button(&self, action: &str, label: &str, class: &str) -> Markup {
        html! {
            form.inline method="post" action=(action) {
                (self.token_field())
                button class=(class) type="submit" { (label) }
            }
        }
    }

    pub(crate) fn page(&self, place: NavItem, title: &str, body: &Markup) -> Response {
        self.render_layout(Some(place), title, body)
    }

    /// A page without a current navigation item.
    pub(crate) fn page_outside_nav(&self, title: &str, body: &Markup) -> Response {
        self.render_layout(None, title, body)
    }

    fn render_layout(&self, place: Option<NavItem>, title: &str, body: &Markup) -> Response {
        let theme = (self.theme != Theme::System).then(|| self.theme.as_str());
        let content = html! {
            a.skip href="#main" { "Skip to content" }
            // An invited user is not the generated athlete.
            @if self.app.is_demo && self.current_user.is_owner { (demo_banner()) }
            div.app {
                (self.navigation(place))
                main #main tabindex="-1" {
                    (freshness::render(self))
                    @if let Some(flash) = self.flash { p.flash role="status" { (flash.message()) } }
                    (body)
                }
            }
            (shortcut_help())
        };
        render_document(title, place, theme, self.has_shortcuts, &content)
    }

    fn navigation(&self, place: Option<NavItem>) -> Markup {
        html! {
            nav.rail aria-label="Main" {
                a.brand href="/" { (icon::logo()) span { "local-fitness" } }
                @for other in NavItem::ALL {
                    @let (address, called, keys) = other.path_label_shortcut();
                    a href=(address) class=[(other == NavItem::Settings).then_some("apart")]
                        aria-current=[(Some(other) == place).then_some("page")] {
                        (icon::nav_item(other)) span { (called) } kbd { (keys) }
                    }
                }
                p.whose { (escape_invisible(&self.name)) }
            }
        }
    }
}

/// No shortcut may make a decision.
fn shortcut_help() -> Markup {
    let others = [
        ("j k", "Next / previous row"),
        ("o", "Open row"),
        ("[ ]", "Earlier / later"),
        ("/", "Search"),
        ("n", "Note for the coach"),
        ("?", "Show this help"),
        ("Esc", "Close"),
    ];
    html! {
        dialog #keys aria-label="Keyboard shortcuts" {
            h2 { "Keyboard shortcuts" }
            dl {
                @for place in NavItem::ALL { @let (_, called, keys) = place.path_label_shortcut(); dt { kbd { (keys) } } dd { (called) } }
                @for (keys, what) in others { dt { kbd { (keys) } } dd { (what) } }
            }
            p.small.soft { "You can turn shortcuts off under Settings > Profile." }
            form method="dialog" { button type="submit" { "Close" } }
        }
    }
}

fn demo_banner() -> Markup {
    html! {
        // A landmark, so that screen reader users find it.
        aside.banner aria-label="About this data" {
            strong { "Demo data." } " This athlete is made up. "
            a href="/welcome" { "Use your own data" }
        }
    }
}

/// A page without navigation: sign-in, setup and errors.
pub(crate) fn bare_page(title: &str, body: &Markup) -> Response {
    let content = html! { main.bare #main { (body) } };
    render_document(title, None, None, false, &content)
}

fn render_document(
    title: &str,
    place: Option<NavItem>,
    theme: Option<&str>,
    keys: bool,
    content: &Markup,
) -> Response {
    let page = html! {
        (DOCTYPE)
        html lang="en" data-theme=[theme] data-keys=[keys.then_some("on")] {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="theme-color" media="(prefers-color-scheme: light)" content="#f6f5f1";
                meta name="theme-color" media="(prefers-color-scheme: dark)" content="#101317";
                title { (title) " · local-fitness" }
                link rel="stylesheet" href=(assets::asset_path("app.css"));
                @if let Some(place) = place { link rel="stylesheet" href=(assets::asset_path(place.stylesheet())); }
                link rel="icon" href=(assets::asset_path("icon.svg")) type="image/svg+xml";
                link rel="apple-touch-icon" href=(assets::asset_path("icon-180.png"));
                link rel="manifest" href="/manifest.webmanifest";
                script defer src=(assets::asset_path("app.js")) {}
                @if place == Some(NavItem::Coach) { script defer src=(assets::asset_path("coach.js")) {} }
            }
            body { (content) }
        }
    };
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8")),
        (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(CONTENT_SECURITY_POLICY)),
    ];
    (headers, page.into_string()).into_response()
}
