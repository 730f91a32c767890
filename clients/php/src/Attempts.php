<?php

declare(strict_types=1);

namespace Msgnet\Gateway;

/**
 * The attempts of one request.
 *
 * @internal
 */
final class Attempts
{
    private int $failed = 0;
    private int $asked = 0;
    private float $askedFor = 0;

    public function __construct(
        private readonly Repeats $repeats,
        private readonly bool $keyed,
        private readonly bool $reading,
    ) {
    }

    /** Seconds until the next attempt, or null if there must not be one. */
    public function nextPause(GatewayException|GatewayUnreachableException $error): ?float
    {
        if (
            $error instanceof GatewayUnreachableException
            || in_array($error->errorCode, RepeatRules::NO_ANSWER_CODES, true)
        ) {
            return $this->pauseWithoutAnswer();
        }
        if ($this->keyed && in_array($error->errorCode, RepeatRules::OPEN_OUTCOME_CODES, true)) {
            return $this->pauseForOutcome();
        }
        if ($error->retryAfter && in_array($error->status, RepeatRules::COME_AGAIN_STATUSES, true)) {
            return $this->countFailure($error->retryAfter);
        }
        return null;
    }

    private function pauseForOutcome(): ?float
    {
        $pause = Repeats::lengthen(RepeatRules::OPEN_OUTCOME_PAUSE, $this->asked);
        if ($this->askedFor + $pause > $this->repeats->resolveFor) {
            return null;
        }
        $this->asked++;
        $this->askedFor += $pause;
        return $pause;
    }

    /** It may have happened. */
    private function pauseWithoutAnswer(): ?float
    {
        if (!$this->keyed && !$this->reading) {
            return null;
        }
        $least = RepeatRules::NO_ANSWER_MIN_SHARE;
        $share = $least + (1 - $least) * mt_rand() / mt_getrandmax();
        return $this->countFailure($share * Repeats::lengthen(RepeatRules::NO_ANSWER_PAUSE, $this->failed));
    }

    private function countFailure(float $pause): ?float
    {
        $this->failed++;
        $fits = $pause <= $this->repeats->longestPause;
        return $fits && $this->failed < $this->repeats->attempts ? $pause : null;
    }
}
