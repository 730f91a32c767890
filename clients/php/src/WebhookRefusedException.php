<?php

declare(strict_types=1);

namespace Msgnet\Gateway;

/** A delivery that must not be trusted. A wrong call throws an InvalidArgumentException instead. */
final class WebhookRefusedException extends \RuntimeException
{
    public function __construct(public readonly RefusalReason $reason, string $message)
    {
        parent::__construct($message);
    }
}
