<?php

declare(strict_types=1);

namespace Msgnet\Gateway;

/** How long a call goes on before it throws. A request is sent again only where that cannot have a second effect. */
final class Repeats
{
    /**
     * @param int $attempts Requests in all, where the gateway was not reached or said when to come again.
     * @param float $longestPause Seconds. A `Retry-After` that is longer is thrown at once.
     * @param float $resolveFor Seconds for which an unknown outcome is asked for with the same key.
     */
    public function __construct(
        public readonly int $attempts = RepeatRules::ATTEMPTS,
        public readonly float $longestPause = RepeatRules::LONGEST_PAUSE,
        public readonly float $resolveFor = RepeatRules::RESOLVE_FOR,
    ) {
    }

    public static function never(): self
    {
        return new self(attempts: 1, resolveFor: 0);
    }

    /**
     * A pause is doubled with each failure, from the first to the longest.
     *
     * @internal
     * @param array{float, float} $pause
     */
    public static function lengthen(array $pause, int $failed): float
    {
        return min($pause[0] * 2 ** min($failed, 30), $pause[1]);
    }
}
