"""Goes through lists page by page."""

from __future__ import annotations

from typing import Any, Callable, Dict, Iterator, Mapping, Optional


def iterate(
    fetch: Callable[..., Any], request: Mapping[str, Any], *, items: str, style: str
) -> Iterator[Any]:
    """`style`: how the list names its next page."""
    wanted: Optional[Dict[str, Any]] = dict(request)
    while wanted is not None:
        page = fetch(**wanted)
        yield from page[items]
        wanted = _find_next(wanted, page, page[items], style)


def _find_next(
    request: Dict[str, Any], page: Any, items: Any, style: str
) -> Optional[Dict[str, Any]]:
    if style == "nextOffset":
        return {**request, "offset": page["nextOffset"]} if page["hasMore"] else None
    if style == "cursor":
        return {**request, "after": page["next"]} if page["next"] else None
    if style == "pagination":
        at = page["pagination"]
        following = {**request, "offset": at["offset"] + at["limit"]}
        return following if at["hasNextPage"] else None
    # The order is oldest first only after a `seq`; only an empty page is the last.
    side = "before_seq" if request.get("after_seq") is None else "after_seq"
    return {**request, side: items[-1]["seq"]} if items else None
