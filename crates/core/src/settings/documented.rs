//! Structs that serde reads, whose fields carry the manual's text.

/// Declares a struct for serde. Its constant `KEYS` lists the fields in order, each with the doc
/// comment as its meaning, and after `=>` the accepted values and the default. A field after `also`
/// is not listed.
#[macro_export]
macro_rules! documented {
    (
        $(#[$about:meta])*
        $vis:vis struct $name:ident {
            $($(#[doc = $meaning:literal])+ $(#[serde($($serde:tt)*)])*
            $of:vis $key:ident: $type:ty $(=> $kind:literal $(, $default:literal)?)?;)*
        }
        $(also { $($(#[$note:meta])* $with:vis $other:ident: $plain:ty;)* })?
    ) => {
        $(#[$about])*
        $vis struct $name {
            $($(#[doc = $meaning])+ $(#[serde($($serde)*)])* $of $key: $type,)*
            $($($(#[$note])* $with $other: $plain,)*)?
        }

        impl $name {
            /// Keys with the manual's text, in order.
            pub const KEYS: &'static [$crate::settings::section::KeyDeclaration] = &[
                $($crate::settings::section::KeyDeclaration {
                    name: stringify!($key),
                    kind: std::borrow::Cow::Borrowed(concat!($($kind)?)),
                    default: concat!($($($default)?)?),
                    meaning: &[$($meaning),+],
                },)*
            ];
        }
    };
}
pub use documented;
