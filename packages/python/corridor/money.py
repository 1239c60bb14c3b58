"""Minor units to a decimal text and back, by the exponent that `client.currencies.list()` gives for
each currency. Exact: no float is involved."""
from __future__ import annotations

import re


def to_decimal(amount: int, exponent: int) -> str:
    """Minor units as a decimal text: `to_decimal(123450, 2)` is `1234.50`."""
    check_exponent(exponent)
    if isinstance(amount, bool) or not isinstance(amount, int):
        raise ValueError("amount is an int of minor units")
    digits = str(abs(amount)).rjust(exponent + 1, "0")
    sign = "-" if amount < 0 else ""
    if exponent == 0:
        return sign + digits
    return f"{sign}{digits[:-exponent]}.{digits[-exponent:]}"


def to_minor(decimal: str, exponent: int) -> int:
    """A decimal text as minor units: `to_minor("1234.5", 2)` is `123450`. Raises a ValueError for a
    text with more decimals than the currency has, and for any text but digits with one point: it
    neither rounds nor guesses."""
    check_exponent(exponent)
    found = re.fullmatch(r"(-?)([0-9]{1,30})(?:\.([0-9]{1,30}))?", decimal) if isinstance(decimal, str) else None
    if found is None:
        raise ValueError("a decimal is a text of digits, with one point at most")
    sign, whole, fraction = found[1], found[2], found[3] or ""
    if len(fraction) > exponent:
        raise ValueError(f"{decimal} has more decimals than the currency, {exponent}")
    minor = int(whole + fraction.ljust(exponent, "0"))
    return -minor if sign == "-" else minor


def check_exponent(exponent: int) -> None:
    if isinstance(exponent, bool) or not isinstance(exponent, int) or not 0 <= exponent <= 18:
        raise ValueError("exponent is an int from 0 to 18, as GET /v3/currency gives it")
