<?php

declare(strict_types=1);

namespace Msgnet\Gateway;

/** There was no answer: the gateway was not reached, or the connection broke. */
final class GatewayUnreachableException extends \RuntimeException
{
    /** @param string|null $idempotencyKey The key of the request. To repeat it with this key is safe. */
    public function __construct(string $message, public readonly ?string $idempotencyKey = null)
    {
        parent::__construct($message);
    }
}
