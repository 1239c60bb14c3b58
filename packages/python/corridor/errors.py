"""The errors of a call: a refusal of the service, or the lack of a usable answer."""
from __future__ import annotations

from typing import Any, Mapping, Optional


class CorridorError(Exception):
    """`reason` distinguishes the errors."""

    def __init__(self, reason: str, message: str, facts: dict[str, Any], retry_after_s: Optional[float]) -> None:
        super().__init__(f"{message} ({reason}, request {facts['request_id']})")
        self.reason = reason
        self.request_id: str = facts["request_id"]
        #: Repeat the same call with this key: the service executes it once.
        self.idempotency_key: Optional[str] = facts["idempotency_key"]
        self.attempts: int = facts["attempts"]
        self.retry_after_s = retry_after_s


class ApiError(CorridorError):
    """The service refused the request. `errors` has every problem; its `remarks` is the field's path."""

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
    """The call has no usable answer. After `connection_failed` and `timed_out` the service may have
    executed the request: repeat it with its key. `invalid_answer` is an answer of another server."""

    def __init__(self, reason: str, message: str, facts: dict[str, Any], status: Optional[int]) -> None:
        super().__init__(reason, message, facts, None)
        self.status = status


class WebhookError(Exception):
    """A refused webhook. `reason` is missing_header, invalid_header, invalid_secret,
    body_not_raw, signature_mismatch, too_old, too_new or invalid_body."""

    def __init__(
        self, reason: str, message: str, header: Optional[str] = None, off_by_s: Optional[int] = None
    ) -> None:
        super().__init__(message)
        self.reason = reason
        self.header = header
        self.off_by_s = off_by_s
