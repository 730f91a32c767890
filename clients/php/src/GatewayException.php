<?php

declare(strict_types=1);

namespace Msgnet\Gateway;

/** An answer of the gateway that is not a success. */
class GatewayException extends \RuntimeException
{
    /** For programs: the value of an ErrorCode, or what a later version adds. */
    public readonly string $errorCode;
    /** The id of the message, if it is unknown whether it was sent. */
    public readonly ?string $messageid;
    /** The network's own number. */
    public readonly ?int $providerCode;
    /** Names the request in the gateway's log. */
    public readonly string $requestId;
    /** Seconds after which the request can be repeated. */
    public readonly ?int $retryAfter;

    /**
     * @param array<string, mixed> $body As the API spells it.
     * @param array<string, string> $headers
     * @param string|null $idempotencyKey The key of the request. To repeat it with this key is safe.
     */
    final private function __construct(
        public readonly int $status,
        public readonly array $body,
        array $headers,
        public readonly ?string $idempotencyKey,
    ) {
        $this->errorCode = $body['error'];
        $this->messageid = $body['messageid'] ?? null;
        $this->providerCode = $body['provider_code'] ?? null;
        $this->requestId = $headers['x-request-id'] ?? '';
        $after = $headers['retry-after'] ?? '';
        $this->retryAfter = ctype_digit($after) ? (int) $after : null;
        parent::__construct(rtrim("$status $this->errorCode: " . ($body['message'] ?? ''), ': '));
    }

    public function is(ErrorCode $code): bool
    {
        return $this->errorCode === $code->value;
    }

    /**
     * A proxy may answer with other content than JSON: then the code is `not_json`.
     *
     * @internal
     * @param array<string, string> $headers
     */
    public static function read(int $status, string $text, array $headers, ?string $key = null): self
    {
        $body = json_decode($text, true);
        if (!is_array($body) || !is_string($body['error'] ?? null)) {
            $body = ['error' => 'not_json', 'message' => substr($text, 0, 200)];
        }
        return $status === 504
            ? new OutcomeUnknownException($status, $body, $headers, $key)
            : new self($status, $body, $headers, $key);
    }
}
