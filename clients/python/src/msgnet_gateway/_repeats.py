"""When a request is sent again: only where that cannot have a second effect."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Optional, Tuple, Union

from . import _repeat_rules as rules
from .errors import GatewayError, GatewayUnreachable


@dataclass(frozen=True)
class Repeats:
    """How long a call goes on before it raises."""

    attempts: int = rules.ATTEMPTS
    """Requests in all, where the gateway was not reached or said when to come again."""
    longest_pause: float = rules.LONGEST_PAUSE
    """Seconds. A `Retry-After` that is longer is raised at once."""
    resolve_for: float = rules.RESOLVE_FOR
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
        if isinstance(error, GatewayUnreachable) or error.code in rules.NO_ANSWER_CODES:
            return self._pause_without_answer()
        if self._keyed and error.code in rules.OPEN_OUTCOME_CODES:
            return self._pause_for_outcome()
        if error.status in rules.COME_AGAIN_STATUSES and error.retry_after:
            return self._count_failure(error.retry_after)
        return None

    def _pause_for_outcome(self) -> Optional[float]:
        pause = lengthen(rules.OPEN_OUTCOME_PAUSE, self._asked)
        if self._asked_for + pause > self._repeats.resolve_for:
            return None
        self._asked += 1
        self._asked_for += pause
        return pause

    def _pause_without_answer(self) -> Optional[float]:
        """It may have happened."""
        if not self._keyed and not self._reading:
            return None
        share = random.uniform(rules.NO_ANSWER_MIN_SHARE, 1.0)
        return self._count_failure(
            share * lengthen(rules.NO_ANSWER_PAUSE, self._failed)
        )

    def _count_failure(self, pause: float) -> Optional[float]:
        self._failed += 1
        fits = pause <= self._repeats.longest_pause
        return pause if fits and self._failed < self._repeats.attempts else None


def lengthen(pause: Tuple[float, float], failed: int) -> float:
    """Doubled with each failure, from the first to the longest."""
    first, longest = pause
    return min(first * 2.0 ** min(failed, 30), longest)
