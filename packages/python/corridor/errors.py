"""What a call is refused with: what the service answered, or why there is no answer."""
from __future__ import annotations

from typing import Any, Mapping, Optional


class CorridorError(Exception):
    """`reason` tells each from the others."""

    def __init__(self, reason: str, message: str, facts: dict[str, Any], retry_after_s: Optional[float]) -> None:
        super().__init__(f"{message} ({reason}, request {facts['request_id']})")
        self.reason = reason
        self.request_id: str = facts["request_id"]
        #: Repeat the same call with this key: it has its effect once.
        self.idempotency_key: Optional[str] = facts["idempotency_key"]
        self.attempts: int = facts["attempts"]
        self.retry_after_s = retry_after_s


class ApiError(CorridorError):
    """The service has answered, and refused. `errors` has every problem; `remarks` is its field."""

    def __init__(
        self, status: int, headers: Mapping[str, str], errors: list[dict[str, Any]],
        facts: dict[str, Any], retry_after_s: Optional[float],
    ) -> None:
        first = errors[0]
        super().__init__(first["reason"], f"{status}: {first['message']}", facts, retry_after_s)
        #: The number of `reason` in the catalogue of errors.
        self.code: int = first["code"]
        self.status = status
        self.headers = headers
        self.errors = errors


class TransportError(CorridorError):
    """`connection_failed` and `timed_out` may have had their effect: repeat with the key.
    `invalid_answer` comes from something else than the service."""

    def __init__(self, reason: str, message: str, facts: dict[str, Any], status: Optional[int]) -> None:
        super().__init__(reason, message, facts, None)
        self.status = status


class WebhookError(Exception):
    """Why a webhook is refused, as `reason`: missing_header, invalid_header, invalid_secret,
    body_not_raw, signature_mismatch, too_old, too_new, invalid_body."""

    def __init__(
        self, reason: str, message: str, header: Optional[str] = None, off_by_s: Optional[int] = None
    ) -> None:
        super().__init__(message)
        self.reason = reason
        self.header = header
        self.off_by_s = off_by_s
