"""The client of Corridor, a self-hosted engine for cross-border payouts."""
from __future__ import annotations

from typing import Optional

from .emitted import VERSION, Resources
from .errors import ApiError, CorridorError, TransportError, WebhookError
from .listing import Listing
from .money import to_decimal, to_minor
from .transport import Answer, Options, Raw, Transport
from .webhook import verify_webhook

__all__ = [
    "Answer", "ApiError", "Corridor", "CorridorError", "Listing", "Options", "Raw", "TransportError",
    "WebhookError", "to_decimal", "to_minor", "verify_webhook",
]


class Corridor(Resources):
    def __init__(
        self, api_key: str, base_url: str, *, account: Optional[str] = None, timeout_s: float = 30,
        total_timeout_s: float = 120, max_retries: int = 2,
    ) -> None:
        super().__init__(
            Transport(api_key, base_url, account, timeout_s, total_timeout_s, max_retries, VERSION)
        )
