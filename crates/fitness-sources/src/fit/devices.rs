//! Names of the devices that write FIT files.

use fitness_core::presentation::names::{device_name, manufacturer_name};
use rustyfit::profile::typedef::{FaveroProduct, GarminProduct, Manufacturer};

/// Product numbers of other manufacturers, as seen in files. The FIT profile lists only Garmin's and
/// Favero's.
const PRODUCTS: [(Manufacturer, u16, &str); 41] = [
    (Manufacturer::WAHOO_FITNESS, 28, "ELEMNT"),
    (Manufacturer::WAHOO_FITNESS, 31, "ELEMNT BOLT"),
    (Manufacturer::WAHOO_FITNESS, 33, "ELEMNT RIVAL"),
    (Manufacturer::WAHOO_FITNESS, 37, "ELEMNT ROAM"),
    (Manufacturer::WAHOO_FITNESS, 40, "KICKR CORE"),
    (Manufacturer::WAHOO_FITNESS, 57, "ELEMNT ACE"),
    (Manufacturer::COROS, 802, "PACE 2"),
    (Manufacturer::COROS, 804, "PACE 3"),
    (Manufacturer::COROS, 805, "PACE Pro"),
    (Manufacturer::COROS, 811, "APEX 42mm"),
    (Manufacturer::COROS, 812, "APEX 2"),
    (Manufacturer::COROS, 821, "APEX"),
    (Manufacturer::COROS, 822, "APEX 2 Pro"),
    (Manufacturer::COROS, 831, "VERTIX"),
    (Manufacturer::COROS, 832, "VERTIX 2"),
    (Manufacturer::COROS, 841, "APEX Pro"),
    (Manufacturer::COROS, 851, "DURA"),
    (Manufacturer::SUUNTO, 22, "Ambit3 Peak"),
    (Manufacturer::SUUNTO, 23, "Ambit3 Sport"),
    (Manufacturer::SUUNTO, 24, "Ambit3 Run"),
    (Manufacturer::SUUNTO, 25, "Ambit3 Vertical"),
    (Manufacturer::SUUNTO, 26, "Traverse"),
    (Manufacturer::SUUNTO, 28, "Spartan Sport"),
    (Manufacturer::SUUNTO, 29, "Spartan Ultra"),
    (Manufacturer::SUUNTO, 31, "Spartan Trainer"),
    (Manufacturer::SUUNTO, 33, "3"),
    (Manufacturer::SUUNTO, 34, "9 Baro"),
    (Manufacturer::SUUNTO, 35, "9"),
    (Manufacturer::SUUNTO, 36, "5"),
    (Manufacturer::SUUNTO, 40, "7"),
    (Manufacturer::SUUNTO, 42, "9 Peak"),
    (Manufacturer::SUUNTO, 56, "5 Peak"),
    (Manufacturer::SUUNTO, 58, "9 Peak Pro"),
    (Manufacturer::SUUNTO, 59, "Vertical"),
    (Manufacturer::SUUNTO, 62, "Ocean"),
    (Manufacturer::SUUNTO, 66, "Race 2"),
    (Manufacturer::SUUNTO, 67, "Vertical 2"),
    (Manufacturer::POLAR_ELECTRO, 261, "Pacer Pro"),
    (Manufacturer::HAMMERHEAD, 1, "Karoo"),
    (Manufacturer::HAMMERHEAD, 2, "Karoo 2"),
    (Manufacturer::HAMMERHEAD, 3, "Karoo 3"),
];

/// Name from the numbers and the text in a file. `written` is the product name, if there is one.
/// `None` for an unknown manufacturer.
pub(super) fn name(manufacturer: Option<u16>, product: Option<u16>, written: Option<&str>) -> Option<String> {
    let known = manufacturer.map(Manufacturer).filter(|brand| *brand != Manufacturer::DEVELOPMENT);
    let Some(manufacturer) = known else { return written.map(device_name) };
    let word = manufacturer.to_string();
    // A number that the profile does not list.
    if word.starts_with("Manufacturer(") {
        return written.map(device_name);
    }
    let brand = manufacturer_name(&word).map_or_else(|| device_name(&word), str::to_owned);
    if let Some(written) = written {
        let has_brand = written.to_lowercase().contains(&brand.to_lowercase());
        return Some(if has_brand {
            device_name(written)
        } else {
            format!("{brand} {}", device_name(written))
        });
    }
    let Some(product) = product else { return Some(brand) };
    if manufacturer == Manufacturer::GARMIN {
        return Some(device_name(&format!("garmin {}", GarminProduct(product))));
    }
    if manufacturer == Manufacturer::FAVERO_ELECTRONICS {
        let known = matches!(FaveroProduct(product), FaveroProduct::ASSIOMA_UNO | FaveroProduct::ASSIOMA_DUO);
        return Some(if known {
            format!("Favero {}", device_name(&FaveroProduct(product).to_string()))
        } else {
            brand
        });
    }
    let found = PRODUCTS.iter().find(|(brand, number, _)| (*brand, *number) == (manufacturer, product));
    Some(found.map_or(brand.clone(), |(.., name)| format!("{brand} {name}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_have_brand_and_product() {
        for (manufacturer, product, written, name_) in [
            (Some(1), Some(3122), None, Some("Garmin Edge 830")),
            (Some(1), Some(3992), None, Some("Garmin Forerunner 255")),
            (Some(1), Some(3992), Some("Forerunner 255"), Some("Garmin Forerunner 255")),
            (Some(1), Some(65_000), None, Some("Garmin device 65000")),
            (Some(1), None, None, Some("Garmin")),
            (Some(263), Some(12), None, Some("Favero Assioma Duo")),
            (Some(32), Some(31), None, Some("Wahoo ELEMNT BOLT")),
            (Some(32), Some(31), Some("ELEMNT BOLT"), Some("Wahoo ELEMNT BOLT")),
            (Some(32), Some(9999), None, Some("Wahoo")),
            (Some(294), Some(802), Some("COROS PACE 2"), Some("COROS PACE 2")),
            (Some(294), Some(804), None, Some("COROS PACE 3")),
            (Some(23), Some(42), None, Some("Suunto 9 Peak")),
            (Some(123), Some(261), None, Some("Polar Pacer Pro")),
            (Some(260), Some(0), None, Some("Zwift")),
            (Some(255), Some(0), None, None),
            (Some(255), Some(0), Some("FIT Cookbook"), Some("FIT Cookbook")),
            (Some(64_000), None, None, None),
            (None, None, None, None),
        ] {
            assert_eq!(
                name(manufacturer, product, written).as_deref(),
                name_,
                "{manufacturer:?} {product:?}"
            );
        }
    }
}
