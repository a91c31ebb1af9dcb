//! Names of devices and sports as people know them: `Garmin Edge 830`, `Pool swim`.

use crate::domain::activity::Activity;
use crate::domain::sport::Sport;
use crate::domain::untrusted_text::escape_invisible;

/// The athlete's title of an activity, or the name of its sport.
#[must_use]
pub fn activity_title(activity: &Activity) -> String {
    let name = activity.name.as_deref().map(str::trim).filter(|name| !name.is_empty());
    name.map_or_else(
        || sport_name(activity.sport, activity.sub_sport.as_deref()),
        |name| escape_invisible(name).to_string(),
    )
}

/// Name of a sport from the source's own word for it: `lap_swimming` is a `Pool swim`.
#[must_use]
pub fn sport_name(sport: Sport, sub_sport: Option<&str>) -> String {
    let Some(word) = sub_sport.map(str::trim).filter(|word| !word.is_empty()) else {
        return sport.title().to_owned();
    };
    let plain: String =
        word.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).take(60).collect();
    if let Some(name) = known_sport_name(sport, &plain) {
        return name.to_owned();
    }
    capitalize(&escape_invisible(word).to_string().replace('_', " "))
}

/// `word` is in lower case, without spaces and underscores. FIT, Garmin Connect and Strava differ in
/// both.
fn known_sport_name(sport: Sport, word: &str) -> Option<&'static str> {
    Some(match (sport, word) {
        (Sport::Swimming, "lapswimming" | "lap") => "Pool swim",
        (Sport::Swimming, "openwater" | "openwaterswimming") => "Open-water swim",
        (Sport::Running, "trail" | "trailrunning" | "trailrun") => "Trail run",
        (Sport::Running, "treadmill" | "treadmillrunning") => "Treadmill run",
        (Sport::Running, "indoorrunning") => "Indoor run",
        (Sport::Running, "track" | "trackrunning") => "Track run",
        (Sport::Running, "street" | "streetrunning") => "Road run",
        (Sport::Running, "ultra" | "ultrarun") => "Ultra run",
        (Sport::Running, "obstacle" | "obstaclerun") => "Obstacle run",
        (Sport::Running, "virtualactivity" | "virtualrun") => "Virtual run",
        (Sport::Cycling, "virtualactivity" | "virtualride") => "Virtual ride",
        (Sport::Cycling, "indoorcycling") => "Indoor ride",
        (Sport::Cycling, "spin") => "Spinning",
        (Sport::Cycling, "road" | "roadbiking") => "Road ride",
        (Sport::Cycling, "mountain" | "mountainbiking" | "mountainbikeride") => "Mountain bike ride",
        (Sport::Cycling, "downhill" | "downhillbiking") => "Downhill bike ride",
        (Sport::Cycling, "gravelcycling" | "gravelride") => "Gravel ride",
        (Sport::Cycling, "cyclocross") => "Cyclocross ride",
        (Sport::Cycling, "trackcycling") => "Track ride",
        (Sport::Cycling, "ebikefitness" | "ebikeride" | "ebiking") => "E-bike ride",
        (Sport::Cycling, "ebikemountain" | "ebikemountainride" | "emountainbikeride") => {
            "E-mountain bike ride"
        }
        (Sport::Cycling, "bmx") => "BMX ride",
        (Sport::Cycling, "recumbent" | "recumbentcycling") => "Recumbent ride",
        (Sport::Cycling, "handcycling" | "handcycle") => "Handcycle ride",
        (Sport::Cycling | Sport::Running, "commuting") => "Commute",
        (Sport::Rowing, "indoorrowing" | "virtualrow") => "Indoor rowing",
        (Sport::Strength, "strengthtraining" | "weighttraining") => "Strength",
        (_, "walking" | "walk" | "casualwalking") => "Walk",
        (_, "speedwalking") => "Fast walk",
        (_, "indoorwalking") => "Indoor walk",
        (_, "hiking" | "hike") => "Hike",
        (_, "alpineskiing" | "alpineski" | "resort" | "resortskiing") => "Alpine ski",
        (_, "backcountry" | "backcountryski" | "backcountryskiing") => "Backcountry ski",
        (_, "crosscountryskiing" | "nordicski") => "Cross-country ski",
        (_, "skateskiing") => "Skate ski",
        (_, "snowboarding" | "snowboard") => "Snowboarding",
        (_, "snowshoeing" | "snowshoe") => "Snowshoeing",
        (_, "hiit") => "HIIT",
        (_, "cardiotraining" | "indoorcardio" | "cardio") => "Cardio",
        (_, "flexibilitytraining") => "Flexibility",
        (_, "stairclimbing" | "stairstepper") => "Stair climbing",
        (_, "standuppaddleboarding" | "standuppaddling") => "Stand-up paddling",
        (_, "inlineskating" | "inlineskate") => "Inline skating",
        (_, "iceskating" | "iceskate") => "Ice skating",
        (_, "rockclimbing") => "Climbing",
        (_, "indoorclimbing") => "Indoor climbing",
        (_, "breathing" | "breathwork") => "Breathing exercise",
        (_, "fitnessequipment") => "Gym",
        _ => return None,
    })
}

/// Name of a device as sold. Versions before 0.4 stored `garmin edge_830`; other names are as the
/// device writes them.
#[must_use]
pub fn device_name(stored: &str) -> String {
    let stored = escape_invisible(stored.trim()).to_string();
    if let Some(product) = stored.strip_prefix("garmin ") {
        return match product.strip_prefix("GarminProduct(").and_then(|rest| rest.strip_suffix(')')) {
            Some(number) => format!("Garmin device {number}"),
            None => garmin_product_name(product),
        };
    }
    if stored.chars().any(char::is_uppercase) {
        return stored;
    }
    manufacturer_name(&stored)
        .map_or_else(|| stored.split([' ', '_']).map(capitalize).collect::<Vec<_>>().join(" "), str::to_owned)
}

/// Brand of a manufacturer in the FIT profile; `None` if its word with capitals will do.
#[must_use]
pub fn manufacturer_name(word: &str) -> Option<&'static str> {
    Some(match word {
        "wahoo_fitness" => "Wahoo",
        "coros" | "coros_byte" => "COROS",
        "polar_electro" => "Polar",
        "favero_electronics" => "Favero",
        "zwift" | "zwift_byte" => "Zwift",
        "bryton" | "bryton_sensors" => "Bryton",
        "igpsport" => "iGPSPORT",
        "stages_cycling" => "Stages",
        "sigmasport" => "Sigma",
        "tomtom" => "TomTom",
        "trainer_road" => "TrainerRoad",
        "decathlon" | "decathlon_byte" => "Decathlon",
        "mywhoosh" => "MyWhoosh",
        "whoop" => "WHOOP",
        "srm" => "SRM",
        "sram" => "SRAM",
        "onelap" => "OneLap",
        "peaksware" => "TrainingPeaks",
        "dynastream" | "dynastream_oem" => "Dynastream",
        "seiko_epson" | "seiko_epson_oem" => "Epson",
        "4iiiis" => "4iiii",
        "nielsen_kellerman" => "NK",
        "tag_heuer" => "TAG Heuer",
        "saxonar" => "power2max",
        "mio_magellan" | "mio_technology_europe" => "Mio",
        "virtualtraining" => "Rouvy",
        "inpeak" => "InPeak",
        "waterrower" => "WaterRower",
        _ => return None,
    })
}

/// Ends of Garmin's product words that name a market.
const MARKETS: [&str; 17] = [
    "_asia",
    "_apac",
    "_japan",
    "_jpn",
    "_china",
    "_china_nfc",
    "_chn",
    "_taiwan",
    "_twn",
    "_korea",
    "_kor",
    "_sea",
    "_russia",
    "_thai",
    "_hebrew",
    "_emea",
    "_ww",
];

/// `fenix5s_plus_apac` of the FIT profile as `Garmin Fenix 5S Plus`.
fn garmin_product_name(word: &str) -> String {
    let mut word = word.to_lowercase();
    while let Some(rest) = MARKETS.iter().find_map(|market| word.strip_suffix(market)) {
        word = rest.to_owned();
    }
    if word == "connect" {
        return "Garmin Connect".to_owned();
    }
    if let Some(strap) = word.strip_prefix("hrm_") {
        let strap = strap.trim_end_matches("_single_byte_product_id");
        return format!("Garmin HRM-{}", strap.split('_').map(capitalize).collect::<Vec<_>>().join(" "));
    }
    let word = word.strip_prefix("vivo_").map_or(word.clone(), |rest| format!("vivo{rest}"));
    let mut names: Vec<String> = vec!["Garmin".to_owned()];
    for token in word.split('_').filter(|token| !token.is_empty()) {
        match (token, names.last_mut()) {
            // A small watch has an S after its number; the large one is the usual one.
            ("small", Some(last)) if last.ends_with(|c: char| c.is_ascii_digit()) => last.push('S'),
            ("large", Some(last)) if last.ends_with(|c: char| c.is_ascii_digit()) => {}
            _ => push_garmin_token(token, &mut names),
        }
    }
    names.join(" ")
}

fn push_garmin_token(token: &str, names: &mut Vec<String>) {
    const FAMILIES: [(&str, &str); 27] = [
        ("fr", "Forerunner"),
        ("fenix", "Fenix"),
        ("edge", "Edge"),
        ("epix", "Epix"),
        ("enduro", "Enduro"),
        ("instinct", "Instinct"),
        ("venusq", "Venu Sq"),
        ("venu", "Venu"),
        ("vivoactive", "Vivoactive"),
        ("vivofit", "Vivofit"),
        ("vivosmart", "Vivosmart"),
        ("vivomove", "Vivomove"),
        ("vivosport", "Vivosport"),
        ("vivoki", "Vivoki"),
        ("swim", "Swim"),
        ("lily", "Lily"),
        ("tactix", "Tactix"),
        ("approach", "Approach"),
        ("explore", "Explore"),
        ("gen", "Gen"),
        ("neo", "Neo"),
        ("flux", "Flux"),
        ("oregon", "Oregon"),
        ("gpsmap", "GPSMAP"),
        ("virb", "VIRB"),
        ("marq", "MARQ"),
        ("bounce", "Bounce"),
    ];
    let family = FAMILIES.iter().find_map(|(prefix, name)| Some((token.strip_prefix(prefix)?, *name)));
    match family {
        Some(("", name)) => names.push(name.to_owned()),
        Some((model, name)) if is_model(model) => {
            names.push(name.to_owned());
            push_model(model, names);
        }
        Some(("touring", name)) => names.extend([name.to_owned(), "Touring".to_owned()]),
        _ => push_model(token, names),
    }
}

/// Whether it begins with a number or is a single letter.
fn is_model(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit()) || text.len() == 1 || text.starts_with(['s', 'x'])
}

/// `735xt` as `735XT`, `645m` as `645 Music`, `s60` as `S60`, `music` as `Music`.
fn push_model(token: &str, names: &mut Vec<String>) {
    let digits = token.find(|c: char| !c.is_ascii_digit()).unwrap_or(token.len());
    let (number, rest) = token.split_at(digits);
    match (number.is_empty(), rest) {
        (false, "m") => names.extend([number.to_owned(), "Music".to_owned()]),
        (false, "music") => names.extend([number.to_owned(), "Music".to_owned()]),
        (false, "mm" | "xx") => names.push(token.to_owned()),
        (false, rest) => names.push(format!("{number}{}", rest.to_uppercase())),
        (true, "hr" | "lte" | "gps" | "mtb" | "d2") => names.push(rest.to_uppercase()),
        (true, _) if token.starts_with("mk") => names.push(format!("Mk{}", token[2..].to_uppercase())),
        (true, _) if token.len() <= 5 && token.bytes().skip(1).any(|byte| byte.is_ascii_digit()) => {
            names.push(token.to_uppercase());
        }
        (true, _) => names.push(capitalize(token)),
    }
}

fn capitalize(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn garmin_products_have_their_names() {
        for (word, name) in [
            ("edge_830", "Edge 830"),
            ("Edge_130", "Edge 130"),
            ("edge500", "Edge 500"),
            ("edge_explore2", "Edge Explore 2"),
            ("edge_1030_plus_asia", "Edge 1030 Plus"),
            ("edge_mtb", "Edge MTB"),
            ("fr255", "Forerunner 255"),
            ("fr255_small_music", "Forerunner 255S Music"),
            ("fr265_large", "Forerunner 265"),
            ("fr735xt_apac", "Forerunner 735XT"),
            ("fr645m_asia", "Forerunner 645 Music"),
            ("fr945_lte", "Forerunner 945 LTE"),
            ("fr235_china_nfc", "Forerunner 235"),
            ("fenix", "Fenix"),
            ("fenix5s_plus_apac", "Fenix 5S Plus"),
            ("fenix6S_sport", "Fenix 6S Sport"),
            ("fenix3_hr_twn", "Fenix 3 HR"),
            ("fenix_e", "Fenix E"),
            ("vivo_active_hr", "Vivoactive HR"),
            ("vivoactive4_small", "Vivoactive 4S"),
            ("vivo_smart_gps_hr_asia", "Vivosmart GPS HR"),
            ("vivosmart_4", "Vivosmart 4"),
            ("venu2s", "Venu 2S"),
            ("venusq2music", "Venu Sq 2 Music"),
            ("venusq_music", "Venu Sq Music"),
            ("venu_x1", "Venu X1"),
            ("epix_gen2_pro_47", "Epix Gen 2 Pro 47"),
            ("instinct_2s", "Instinct 2S"),
            ("instinctE_40mm", "Instinct E 40mm"),
            ("instinct3_solar_45mm", "Instinct 3 Solar 45mm"),
            ("approach_s60", "Approach S60"),
            ("approachS44", "Approach S44"),
            ("descent_mk2s", "Descent Mk2S"),
            ("d2_air_x10", "D2 Air X10"),
            ("marq_athlete", "MARQ Athlete"),
            ("swim2", "Swim 2"),
            ("hrm_pro_plus", "HRM-Pro Plus"),
            ("hrm_tri", "HRM-Tri"),
            ("enduro3", "Enduro 3"),
        ] {
            assert_eq!(device_name(&format!("garmin {word}")), format!("Garmin {name}"), "{word}");
        }
        assert_eq!(device_name("garmin connect"), "Garmin Connect");
        assert_eq!(device_name("garmin GarminProduct(9999)"), "Garmin device 9999");
    }

    #[test]
    fn other_devices_keep_their_names() {
        for (stored, shown) in [
            ("Garmin Edge 830", "Garmin Edge 830"),
            ("Apple Watch7,1", "Apple Watch7,1"),
            ("wahoo_fitness", "Wahoo"),
            ("hammerhead", "Hammerhead"),
            ("the_sufferfest", "The Sufferfest"),
            ("", ""),
        ] {
            assert_eq!(device_name(stored), shown);
        }
        assert_eq!(device_name("garmin "), "Garmin");
        assert!(device_name("garmin _ä_5é_s").starts_with("Garmin"), "any text is accepted");
    }

    #[test]
    fn sports_have_names() {
        for (sport, word, name) in [
            (Sport::Swimming, "lap_swimming", "Pool swim"),
            (Sport::Swimming, "open_water", "Open-water swim"),
            (Sport::Running, "trail", "Trail run"),
            (Sport::Running, "trail_running", "Trail run"),
            (Sport::Running, "TrailRun", "Trail run"),
            (Sport::Cycling, "virtual_activity", "Virtual ride"),
            (Sport::Cycling, "virtualride", "Virtual ride"),
            (Sport::Other, "hiking", "Hike"),
            (Sport::Other, "cross_country_skiing", "Cross-country ski"),
            (Sport::Other, "axe_throwing", "Axe throwing"),
            (Sport::Other, "", "Other"),
        ] {
            assert_eq!(sport_name(sport, Some(word)), name, "{word}");
        }
        assert_eq!(sport_name(Sport::Running, None), "Run");
    }
}
