"""Numbers of 0 and more in two bytes, for rows that are packed: exact while small, then within 0.03 % of themselves.

A number times its column's scale is rounded: below 16,384 it is its own code, above the code counts steps of 0.06 %. Estimates go to the
nearest step, lower bounds down and upper bounds up, so that a range never shrinks. The largest number is 9.9e16.
"""

from enum import StrEnum

EXACT_BELOW = 16_384
STEPS = 1_670  # to a factor of e
_CODES = 65_536
# As a smallint: the last code is no number.
NOT_MEASURED = -1
# Codes are read back exactly as they were rounded: what floating point adds to a whole number is no step.
_SLACK = "1e-6"


class CodeRounding(StrEnum):
    NEAREST = "nearest"
    DOWN = "down"
    UP = "up"


_BOUNDS = {"_lower": CodeRounding.DOWN, "_upper": CodeRounding.UP}


def rounding_of(name: str) -> CodeRounding:
    """Of a column, by its name."""
    return next((rounding for end, rounding in _BOUNDS.items() if name.endswith(end)), CodeRounding.NEAREST)


def is_bound(name: str) -> bool:
    return rounding_of(name) is not CodeRounding.NEAREST


def create() -> str:
    """The function that reads a code; NULL stays NULL."""
    wrapped = f"(code::int & {_CODES - 1})"
    return (
        "CREATE FUNCTION decoded(code smallint) RETURNS double precision LANGUAGE sql IMMUTABLE PARALLEL SAFE"
        f" AS $$ SELECT CASE WHEN code >= 0 AND code < {EXACT_BELOW} THEN code::float8"
        f" ELSE {EXACT_BELOW} * exp(({wrapped} - {EXACT_BELOW}) / {STEPS}.0::float8) END $$"
    )


def encoded(value: str, scale: int, rounding: CodeRounding) -> str:
    """SQL of the smallint for the SQL of a number; NULL stays NULL, which greatest and least would not leave."""
    scaled = f"greatest({value}, 0)::float8" if scale == 1 else f"(greatest({value}, 0)::float8 * {scale})"
    small, large = _rounded(scaled, rounding), _rounded(f"ln({scaled} / {EXACT_BELOW}) * {STEPS}", rounding)
    code = f"least({large} + {EXACT_BELOW}, {_CODES - 2})::int"
    wrapped = f"(((({code}) + {_CODES // 2}) & {_CODES - 1}) - {_CODES // 2})"
    return f"CASE WHEN {value} IS NULL THEN NULL WHEN {scaled} < {EXACT_BELOW} THEN {small}::smallint ELSE {wrapped}::smallint END"


def decoded(code: str, scale: int, sql_type: str) -> str:
    """SQL of the number, in its own type, for the SQL of its smallint."""
    divided = f"decoded({code})" if scale == 1 else f"(decoded({code}) / {scale})"
    return f"{divided}::{sql_type}"


def _rounded(number: str, rounding: CodeRounding) -> str:
    if rounding is CodeRounding.NEAREST:
        return f"round({number})"
    return f"floor({number} + {_SLACK})" if rounding is CodeRounding.DOWN else f"ceil({number} - {_SLACK})"
