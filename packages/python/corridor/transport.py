"""Sends a call, repeats it when that may help, and reads its answer. All attempts of a call carry one
Idempotency-Key, so that the service executes it once."""
from __future__ import annotations

import base64
import http.client
import json
import math
import random
import re
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from dataclasses import dataclass
from datetime import datetime, timezone
from decimal import Decimal
from email.utils import parsedate_to_datetime
from typing import Any, Generic, Mapping, Optional, TypeVar

from .errors import ApiError, TransportError
from .listing import Listing

T = TypeVar("T")

RETRIED = {408, 429, 502, 503, 504}
FIRST_WAIT_S = 0.5
LONGEST_WAIT_S = 8.0
#: For a longer Retry-After the call fails at once.
LONGEST_RETRY_AFTER_S = 60.0
#: The form of an Idempotency-Key that the service takes.
KEY = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?")


@dataclass(frozen=True)
class Options:
    """The options of one call. None keeps the client's setting."""

    timeout_s: Optional[float] = None
    total_timeout_s: Optional[float] = None
    max_retries: Optional[int] = None


class Answer(Generic[T]):
    """The object of an answer as `data`, with the facts of the answer. `answer["id"]` reads a member."""

    def __init__(self, data: Any, status: int, headers: Mapping[str, str], facts: dict[str, Any]) -> None:
        self.data: T = data
        self.status = status
        self.headers = headers
        self.request_id: str = facts["request_id"]
        self.idempotency_key: Optional[str] = facts["idempotency_key"]
        self.attempts: int = facts["attempts"]
        self.replayed = headers.get("idempotent-replayed") == "true"

    def __getitem__(self, name: str) -> Any:
        return self.data[name]  # type: ignore[index]

    def __repr__(self) -> str:
        return f"Answer({self.data!r})"


@dataclass(frozen=True)
class Raw:
    """An answer that is not JSON."""

    body: bytes
    status: int
    headers: Mapping[str, str]


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """Refuses redirects, which would carry the credentials to another address."""

    def redirect_request(self, *_: Any) -> None:
        return None


class Transport:
    def __init__(
        self, api_key: str, base_url: str, account: Optional[str], timeout_s: float,
        total_timeout_s: float, max_retries: int, version: str,
    ) -> None:
        if not re.fullmatch(r"[\x21-\x39\x3b-\x7e]+:[\x21-\x7e]+", api_key):
            raise ValueError("api_key is the id and the secret of a key: key_…:…")
        url = urllib.parse.urlsplit(base_url)
        if url.scheme not in ("http", "https") or not url.hostname or url.query or url.fragment:
            raise ValueError("base_url is an address such as https://payouts.example.com")
        check_limits(timeout_s, total_timeout_s, max_retries)
        self._base_url = base_url.rstrip("/")
        self._headers = {"authorization": "Basic " + base64.b64encode(api_key.encode()).decode()}
        self._headers["corridor-version"] = version
        if account is not None:
            self._headers["corridor-account"] = account
        self._defaults = (timeout_s, total_timeout_s, max_retries)
        self._opener = urllib.request.build_opener(NoRedirect)

    def call(self, verb: str, path: str, *, bare: bool = False, **request: Any) -> Answer[Any]:
        def read(status: int, headers: Mapping[str, str], body: bytes, facts: dict[str, Any]) -> Answer[Any]:
            answer = parsed(body, status, facts)
            if not isinstance(answer, dict) or not (bare or "data" in answer):
                raise TransportError("invalid_answer", "not an answer of the service", facts, status)
            return Answer(answer if bare else answer["data"], status, headers, facts)

        return self._send(verb, path, read, **request)

    def raw(self, verb: str, path: str, **request: Any) -> Raw:
        return self._send(verb, path, lambda status, headers, body, _: Raw(body, status, headers), **request)

    def list(self, cursor: str, verb: str, path: str, *, query: dict[str, Any], **request: Any) -> Listing[Any]:
        return Listing(query, cursor, lambda query: self.call(verb, path, query=query, **request).data)

    def _send(
        self, verb: str, path: str, read: Any, *, query: dict[str, Any], options: Options,
        body: Any = None, keyed: bool = False, idempotency_key: Optional[str] = None,
        media: str = "application/json",
    ) -> Any:
        timeout_s, total_timeout_s, max_retries = (
            default if own is None else own
            for own, default in zip(
                (options.timeout_s, options.total_timeout_s, options.max_retries), self._defaults
            )
        )
        check_limits(timeout_s, total_timeout_s, max_retries)
        if idempotency_key is not None and not KEY.fullmatch(idempotency_key):
            raise ValueError("idempotency_key is 1 to 255 visible ASCII characters")
        url = self._base_url + path + query_string(query)
        text = None if body is None else json.dumps(body, allow_nan=False).encode()
        own = str(uuid.uuid4()) if idempotency_key is None else idempotency_key
        key = own if keyed else None
        headers = {"accept": media, **self._headers}
        if text is not None:
            headers["content-type"] = "application/json"
        if key is not None:
            headers["idempotency-key"] = key
        call_id = uuid.uuid4()
        ends_at = time.monotonic() + total_timeout_s
        attempts = 0
        while True:
            attempts += 1
            request_id = f"{call_id}-{attempts}"
            facts = {"request_id": request_id, "idempotency_key": key, "attempts": attempts}
            request = urllib.request.Request(
                url, text, {**headers, "x-request-id": request_id}, method=verb
            )
            left_s = max(0.001, min(timeout_s, ends_at - time.monotonic()))
            try:
                return read(*self._attempt(request, left_s, facts))
            except (ApiError, TransportError) as error:
                wait_s = error.retry_after_s
                if wait_s is None:
                    most = min(LONGEST_WAIT_S, FIRST_WAIT_S * 2 ** (attempts - 1))
                    wait_s = most * random.uniform(0.5, 1)
                is_last = (
                    attempts > max_retries
                    or wait_s > LONGEST_RETRY_AFTER_S
                    or time.monotonic() + wait_s >= ends_at
                )
                if is_last or not may_help(error, verb != "POST" or keyed):
                    raise
            time.sleep(wait_s)

    def _attempt(
        self, request: urllib.request.Request, timeout_s: float, facts: dict[str, Any]
    ) -> tuple[int, Mapping[str, str], bytes, dict[str, Any]]:
        try:
            try:
                response = self._opener.open(request, timeout=timeout_s)
            except urllib.error.HTTPError as refused:
                response = refused
            with response:
                body = response.read()
                status = response.status
                headers = {name.lower(): value for name, value in response.headers.items()}
        except (OSError, http.client.HTTPException) as error:
            cause = error.reason if isinstance(error, urllib.error.URLError) else error
            reason = "timed_out" if isinstance(cause, TimeoutError) else "connection_failed"
            raise TransportError(reason, str(cause) or type(cause).__name__, facts, None) from error
        facts = {**facts, "request_id": headers.get("x-request-id", facts["request_id"])}
        if 200 <= status < 300:
            return status, headers, body, facts
        wait_s = retry_after(headers.get("retry-after"))
        try:
            answer = parsed(body, status, facts)
        except TransportError as error:
            error.retry_after_s = wait_s
            raise
        errors = answer.get("errors") if isinstance(answer, dict) else None
        if not isinstance(errors, list) or not errors:
            error = TransportError("invalid_answer", "not an answer of the service", facts, status)
            error.retry_after_s = wait_s
            raise error
        raise ApiError(status, headers, errors, facts, wait_s)


def check_limits(timeout_s: Any, total_timeout_s: Any, max_retries: Any) -> None:
    for name, value in (("timeout_s", timeout_s), ("total_timeout_s", total_timeout_s)):
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < math.inf:
            raise ValueError(f"{name} is a number above zero")
    if isinstance(max_retries, bool) or not isinstance(max_retries, int) or max_retries < 0:
        raise ValueError("max_retries is a whole number, 0 or more")


def parsed(body: bytes, status: int, facts: dict[str, Any]) -> Any:
    """Parses JSON: integers are exact, however large; other numbers are decimals."""
    try:
        return json.loads(body, parse_float=Decimal)
    except ValueError as error:
        raise TransportError("invalid_answer", "not an answer of the service", facts, status) from error


def may_help(error: Exception, is_repeatable: bool) -> bool:
    """Whether a repeat may help: never after 409, 422 or another final refusal. A POST without a key
    is repeated only after a refusal, because otherwise the service may have executed it."""
    if isinstance(error, ApiError):
        return error.status in RETRIED
    assert isinstance(error, TransportError)
    return is_repeatable and (error.status is None or error.status in RETRIED)


def retry_after(text: Optional[str]) -> Optional[float]:
    """`Retry-After` in seconds, from seconds or a date."""
    if text is None:
        return None
    if text.isascii() and text.isdigit():
        return float(text)
    try:
        return max(0.0, (parsedate_to_datetime(text) - datetime.now(timezone.utc)).total_seconds())
    except (TypeError, ValueError):
        return None


def query_string(query: dict[str, Any]) -> str:
    pairs: list[tuple[str, str]] = []
    for name, value in query.items():
        if isinstance(value, dict):
            pairs.extend((f"{name}[{key}]", str(one)) for key, one in value.items())
            continue
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if isinstance(one, bool):
                pairs.append((name, "true" if one else "false"))
            elif isinstance(one, datetime):
                pairs.append((name, one.isoformat()))
            elif one is not None:
                pairs.append((name, str(one)))
    return "?" + urllib.parse.urlencode(pairs) if pairs else ""


def segment(text: str) -> str:
    return urllib.parse.quote(text, safe="")
