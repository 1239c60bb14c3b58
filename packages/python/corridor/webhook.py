"""Verifies a webhook by Standard Webhooks, and gives the exact reason of a refusal."""
from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Mapping, Optional, Sequence, Union

from .errors import WebhookError

if TYPE_CHECKING:
    from .emitted import AccountEvent


def verify_webhook(
    raw_body: Union[str, bytes], headers: Mapping[str, str], secret: Union[str, Sequence[str]], *,
    tolerance_s: int = 300, now_s: Optional[float] = None,
) -> AccountEvent:
    """Returns the event of a webhook that one of the secrets has signed; raises a WebhookError
    otherwise. `raw_body` is the received body, before any parsing."""
    if isinstance(raw_body, str):
        body = raw_body.encode()
    elif isinstance(raw_body, (bytes, bytearray, memoryview)):
        body = bytes(raw_body)
    else:
        raise WebhookError("body_not_raw", "the body is an object already: give it as it came")
    sent = {name.lower(): value for name, value in headers.items()}
    webhook_id = header(sent, "webhook-id")
    timestamp = header(sent, "webhook-timestamp")
    signatures = [one[3:] for one in header(sent, "webhook-signature").split(" ") if one.startswith("v1,")]
    if not signatures:
        raise WebhookError("invalid_header", "no signature of version v1", "webhook-signature")
    if not re.fullmatch(r"[0-9]{1,12}", timestamp):
        raise WebhookError("invalid_header", "not Unix time in seconds", "webhook-timestamp")
    keys = [key_of(one) for one in ([secret] if isinstance(secret, str) else secret)]
    if not keys:
        raise WebhookError("invalid_secret", "there is no secret")
    start = f"{webhook_id}.{timestamp}.".encode()
    if not is_signed(keys, signatures, start + body):
        compact = compact_json(body)
        if compact is not None and is_signed(keys, signatures, start + compact):
            raise WebhookError("body_not_raw", "the body was parsed and written again")
        raise WebhookError("signature_mismatch", "no secret has signed this body")
    off_by_s = int(time.time() if now_s is None else now_s) - int(timestamp)
    if abs(off_by_s) > tolerance_s:
        message = f"{abs(off_by_s)} seconds apart from this clock, and {tolerance_s} are allowed"
        raise WebhookError("too_old" if off_by_s > 0 else "too_new", message, off_by_s=off_by_s)
    try:
        return json.loads(body, parse_float=Decimal)
    except ValueError as error:
        raise WebhookError("invalid_body", f"the body cannot be read: {error}") from error


def header(headers: Mapping[str, str], name: str) -> str:
    value = headers.get(name)
    if not value:
        raise WebhookError("missing_header", f"{name} is missing", name)
    return value


def key_of(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret[6:], validate=True) if secret.startswith("whsec_") else b""
    except binascii.Error:
        key = b""
    if not key:
        raise WebhookError("invalid_secret", "a secret is whsec_ and base64")
    return key


def is_signed(keys: Sequence[bytes], signatures: Sequence[str], signed: bytes) -> bool:
    right = [base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()) for key in keys]
    matches = [hmac.compare_digest(one, sent.encode()) for one in right for sent in signatures]
    return any(matches)


def compact_json(body: bytes) -> Optional[bytes]:
    try:
        return json.dumps(json.loads(body), separators=(",", ":"), ensure_ascii=False).encode()
    except ValueError:
        return None
