//! Finds the settings of a player that limit its search, by their types.

use std::fmt;

use serde::de::value::StrDeserializer;
use serde::de::{self, DeserializeOwned, DeserializeSeed, Deserializer, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;

use crate::search_limit::LimitKind;

/// Setting that limits the search for one move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchLimit {
    /// Name of the setting.
    pub setting: &'static str,
    /// What it limits.
    pub kind: LimitKind,
}

/// Returns the search limits among the fields of a struct of settings, in order.
pub fn search_limits<C: DeserializeOwned>() -> Vec<SearchLimit> {
    let limit = |&setting: &&'static str| {
        let kind = C::deserialize(FieldCapture(setting)).err()?.0?;
        Some(SearchLimit { setting, kind })
    };
    super::fields::<C>().iter().filter_map(limit).collect()
}

/// Deserializer of a struct that asks for the value of one field and captures what it limits.
struct FieldCapture(&'static str);

/// Deserializer of that value.
struct ValueCapture;

/// What the field limits, if anything.
#[derive(Debug)]
struct CapturedKind(Option<LimitKind>);

impl fmt::Display for CapturedKind {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}

impl std::error::Error for CapturedKind {}

impl de::Error for CapturedKind {
    fn custom<T: fmt::Display>(_: T) -> CapturedKind {
        CapturedKind(None)
    }
}

impl<'de> Deserializer<'de> for FieldCapture {
    type Error = CapturedKind;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, CapturedKind> {
        Err(CapturedKind(None))
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, CapturedKind> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, CapturedKind> {
        visitor.visit_map(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        option seq tuple tuple_struct map identifier enum ignored_any
    }
}

impl<'de> de::MapAccess<'de> for FieldCapture {
    type Error = CapturedKind;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, CapturedKind> {
        let key: StrDeserializer<CapturedKind> = self.0.into_deserializer();
        seed.deserialize(key).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, CapturedKind> {
        seed.deserialize(ValueCapture)
    }
}

impl<'de> Deserializer<'de> for ValueCapture {
    type Error = CapturedKind;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, CapturedKind> {
        Err(CapturedKind(None))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, CapturedKind> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, CapturedKind> {
        match LimitKind::from_serde_name(name) {
            Some(kind) => Err(CapturedKind(Some(kind))),
            None => visitor.visit_newtype_struct(self),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        seq tuple tuple_struct map struct identifier enum ignored_any
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;
    use crate::num::{BoundedInt, CountLimit, DepthLimit, Millis};

    #[allow(dead_code, reason = "only the types of the fields matter")]
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Config {
        name: String,
        depth: Option<DepthLimit<1, 8>>,
        width: BoundedInt<1, 8>,
        plies: Plies,
        nodes: CountLimit<1, 1000>,
        millis: Option<Millis>,
        inner: Option<Inner>,
        list: Vec<DepthLimit<1, 8>>,
    }

    #[derive(Deserialize)]
    struct Plies(#[allow(dead_code, reason = "as above")] DepthLimit<0, 8>);

    #[derive(Deserialize)]
    struct Inner {
        #[allow(dead_code, reason = "as above")]
        depth: DepthLimit<1, 8>,
    }

    #[test]
    fn types_declare_limits() {
        let limits: Vec<_> =
            search_limits::<Config>().into_iter().map(|limit| (limit.setting, limit.kind)).collect();
        let expected = [
            ("depth", LimitKind::Depth),
            ("plies", LimitKind::Depth),
            ("nodes", LimitKind::Count),
            ("millis", LimitKind::Time),
        ];
        assert_eq!(limits, expected);
    }
}
