"""A list. Iteration reads every object, page by page, from new to old; with `ending_before` it goes
from that object to newer ones. `page()` reads the first page alone."""
from __future__ import annotations

from typing import Any, Callable, Generic, Iterator, TypeVar

T = TypeVar("T")


class Listing(Generic[T]):
    def __init__(self, query: dict[str, Any], cursor: str, ask: Callable[[dict[str, Any]], Any]) -> None:
        self._query = query
        self._cursor = cursor
        self._ask = ask

    def page(self) -> dict[str, Any]:
        """The first page: `has_more` and `results`, newest first."""
        return self._ask(self._query)

    def pages(self) -> Iterator[dict[str, Any]]:
        backward = self._query.get("ending_before") is not None
        query = self._query
        while True:
            page = self._ask(query)
            yield page
            if not page["has_more"] or not page["results"]:
                return
            last = page["results"][0 if backward else -1][self._cursor]
            way = "ending_before" if backward else "starting_after"
            query = {**self._query, "starting_after": None, "ending_before": None, way: last}

    def __iter__(self) -> Iterator[T]:
        backward = self._query.get("ending_before") is not None
        for page in self.pages():
            yield from reversed(page["results"]) if backward else page["results"]
