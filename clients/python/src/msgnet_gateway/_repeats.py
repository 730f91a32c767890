"""When a request is sent again: only where that cannot have a second effect."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Optional, Union

from .errors import GatewayError, GatewayUnreachable


@dataclass(frozen=True)
class Repeats:
    """How long a call goes on before it raises."""

    attempts: int = 4
    """Requests in all, where the gateway was not reached or said when to come again."""
    longest_pause: float = 60.0
    """Seconds. A `Retry-After` that is longer is raised at once."""
    resolve_for: float = 60.0
    """Seconds for which an unknown outcome is asked for with the same key."""


NEVER = Repeats(attempts=1, resolve_for=0)


class Attempts:
    """The attempts of one request."""

    def __init__(self, repeats: Repeats, *, keyed: bool, reading: bool) -> None:
        self._repeats = repeats
        self._keyed = keyed
        self._reading = reading
        self._failed = 0
        self._asked = 0
        self._asked_for = 0.0

    def next_pause(
        self, error: Union[GatewayError, GatewayUnreachable]
    ) -> Optional[float]:
        """Seconds until the next attempt, or None if there must not be one."""
        if isinstance(error, GatewayError) and error.code != "not_json":
            if self._is_open(error):
                return self._pause_for_outcome()
            return self._pause_as_told(error)
        return self._pause_for_way()

    def _is_open(self, error: GatewayError) -> bool:
        open_states = ("outcome_unknown", "idempotency_in_progress")
        return self._keyed and error.code in open_states

    def _pause_for_outcome(self) -> Optional[float]:
        pause = min(2.0**self._asked, 10.0)
        if self._asked_for + pause > self._repeats.resolve_for:
            return None
        self._asked += 1
        self._asked_for += pause
        return pause

    def _pause_as_told(self, error: GatewayError) -> Optional[float]:
        """The gateway names a pause only where nothing has happened yet."""
        pause = error.retry_after
        if error.status not in (429, 502, 503) or pause is None:
            return None
        return pause if self._may_repeat(pause) else None

    def _pause_for_way(self) -> Optional[float]:
        """Without an answer of the gateway itself it may have happened."""
        if not self._keyed and not self._reading:
            return None
        pause = min(0.5 * 2.0**self._failed, 8.0) * random.uniform(0.5, 1.0)
        return pause if self._may_repeat(pause) else None

    def _may_repeat(self, pause: float) -> bool:
        self._failed += 1
        fits = pause <= self._repeats.longest_pause
        return fits and self._failed < self._repeats.attempts
