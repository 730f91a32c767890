<?php

declare(strict_types=1);

namespace Msgnet\Gateway;

/**
 * Sends requests, again where that is safe, and opens answers that go on.
 *
 * @internal
 */
final class Sender
{
    public const TIMEOUT = 120.0;
    /** Asks for the contract's own words, even if the operator has chosen others. */
    private const ACCEPT = 'application/json;profile=contract';
    private const JSON = JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE;

    /** @var \Closure(float): void Tests replace it. */
    public \Closure $sleep;
    private readonly string $baseUrl;

    /** @param array<string, string> $credential */
    public function __construct(
        string $baseUrl,
        #[\SensitiveParameter] private readonly array $credential,
        private readonly Repeats $repeats,
        private readonly float $timeout,
    ) {
        $this->baseUrl = rtrim($baseUrl, '/');
        $this->sleep = static function (float $seconds): void {
            usleep((int) round($seconds * 1e6));
        };
    }

    /**
     * The parsed answer. Every repeat has the same key and the same bytes.
     *
     * @param array<string, mixed>|null $body
     * @param array<string, mixed> $query
     * @param array{idempotencyKey?: string|null, waitSeconds?: int|null, requestId?: string|null} $options
     * @return array<mixed>
     */
    public function send(
        string $method,
        string $path,
        ?array $body = null,
        array $query = [],
        bool $keyed = false,
        bool $reading = false,
        array $options = [],
    ): array {
        $key = $keyed ? $options['idempotencyKey'] ?? bin2hex(random_bytes(16)) : null;
        $wait = $options['waitSeconds'] ?? null;
        $headers = [
            'accept' => self::ACCEPT,
            'content-type' => $body === null ? null : 'application/json',
            'idempotency-key' => $key,
            'prefer' => $wait === null ? null : "wait=$wait",
            'x-request-id' => $options['requestId'] ?? null,
        ];
        $text = $body === null ? '' : json_encode((object) self::dropNull($body), self::JSON);
        $address = $path . self::formatQuery($query);
        $attempts = new Attempts($this->repeats, $keyed, $reading);
        while (true) {
            try {
                return $this->sendOnce($method, $address, $headers, $text, $key);
            } catch (GatewayException | GatewayUnreachableException $error) {
                $pause = $attempts->nextPause($error);
                if ($pause === null) {
                    throw $error;
                }
            }
            ($this->sleep)($pause);
        }
    }

    /**
     * The parsed answer to lines, each sent as it comes. They are sent once.
     *
     * @param iterable<string> $lines
     * @return array<mixed>
     */
    public function sendLines(string $path, iterable $lines): array
    {
        $headers = $this->credential + ['accept' => self::ACCEPT, 'content-type' => 'application/x-ndjson'];
        $response = Response::upload('POST', $this->baseUrl . $path, $headers, $lines, $this->timeout);
        return self::readAnswer(self::throwRefusal($response, null), "POST $path", null);
    }

    /**
     * The lines of an answer that goes on.
     *
     * @param array<string, string> $headers
     * @return \Generator<int, string>
     */
    public function openLines(string $path, array $headers = []): \Generator
    {
        $headers = ['accept' => '*/*;profile=contract'] + $headers;
        $response = $this->open('GET', $path, $headers, '', RepeatRules::STREAM_MAX_SILENCE, null);
        try {
            while (($line = $response->readLine()) !== null) {
                yield $line;
            }
        } finally {
            $response->close();
        }
    }

    /** Puts ids into the places of a path. */
    public static function insert(string $path, string ...$ids): string
    {
        return preg_replace_callback('/\{\w+\}/', static function () use (&$ids): string {
            return rawurlencode((string) array_shift($ids));
        }, $path) ?? $path;
    }

    /** An empty array would be a list. */
    public static function toObject(array|object|null $value): ?object
    {
        return $value === null ? null : (object) $value;
    }

    /**
     * @param array<string, string|null> $headers
     * @return array<mixed>
     */
    private function sendOnce(string $method, string $path, array $headers, string $text, ?string $key): array
    {
        $response = $this->open($method, $path, $headers, $text, $this->timeout, $key);
        return self::readAnswer($response, "$method $path", $key);
    }

    /** @return array<mixed> */
    private static function readAnswer(Response $response, string $place, ?string $key): array
    {
        $answer = json_decode($response->readAll(), true);
        // A success that is no JSON is none of the gateway.
        if (!is_array($answer)) {
            throw new GatewayUnreachableException("$place had no answer of the gateway", $key);
        }
        return $answer;
    }

    /** @param array<string, string|null> $headers */
    private function open(
        string $method,
        string $path,
        array $headers,
        string $text,
        float $timeout,
        ?string $key,
    ): Response {
        $every = self::dropNull($this->credential + $headers);
        return self::throwRefusal(Response::open($method, $this->baseUrl . $path, $every, $text, $timeout, $key), $key);
    }

    /** Returns a success. */
    private static function throwRefusal(Response $response, ?string $key): Response
    {
        if ($response->status < 300) {
            return $response;
        }
        throw GatewayException::read($response->status, $response->readAll(), $response->headers, $key);
    }

    /**
     * @template T
     * @param array<string, T|null> $fields
     * @return array<string, T>
     */
    private static function dropNull(array $fields): array
    {
        return array_filter($fields, static fn (mixed $value): bool => $value !== null);
    }

    /** @param array<string, mixed> $query */
    private static function formatQuery(array $query): string
    {
        $flat = array_map(static fn (mixed $value): mixed => match (true) {
            is_bool($value) => $value ? 'true' : 'false',
            $value instanceof \BackedEnum => $value->value,
            default => $value,
        }, self::dropNull($query));
        return $flat === [] ? '' : '?' . http_build_query($flat, '', '&', PHP_QUERY_RFC3986);
    }
}
