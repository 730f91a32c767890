<?php

declare(strict_types=1);

namespace Msgnet\Gateway;

/**
 * One answer, read by PHP's own streams: they are in every PHP, as ext-curl is not.
 *
 * @internal
 */
final class Response
{
    /**
     * @param resource $stream
     * @param array<string, string> $headers By their names in small letters.
     */
    private function __construct(
        private $stream,
        public readonly int $status,
        public readonly array $headers,
        private readonly string $place,
        private readonly ?string $key,
    ) {
    }

    /** @param array<string, string> $headers */
    public static function open(
        string $method,
        string $url,
        #[\SensitiveParameter] array $headers,
        string $text,
        float $timeout,
        ?string $key,
    ): self {
        $http = [
            'method' => $method,
            'header' => self::formatHeaders($headers),
            'content' => $text,
            'timeout' => $timeout,
            'ignore_errors' => true,
            // A token must not follow a redirect to another place.
            'follow_location' => 0,
            // Without chunks, so that a line can be read as soon as it is there.
            'protocol_version' => 1.0,
        ];
        error_clear_last();
        $stream = @fopen($url, 'rb', false, stream_context_create(['http' => $http]));
        if ($stream === false) {
            $why = error_get_last()['message'] ?? 'no connection';
            throw new GatewayUnreachableException("$method $url had no answer: $why", $key);
        }
        [$status, $received] = self::parseHead(stream_get_meta_data($stream)['wrapper_data']);
        return new self($stream, $status, $received, "$method $url", $key);
    }

    /**
     * The answer to lines that are sent as they come.
     *
     * @param array<string, string> $headers
     * @param iterable<string> $lines
     */
    public static function upload(
        string $method,
        string $url,
        #[\SensitiveParameter] array $headers,
        iterable $lines,
        float $timeout,
    ): self {
        $stream = LineUpload::send($method, $url, self::formatHeaders($headers), $lines, $timeout);
        // Heads that begin with a 1 come before that of the answer.
        do {
            $head = [];
            while (($line = rtrim((string) fgets($stream), "\r\n")) !== '') {
                $head[] = $line;
            }
            [$status, $received] = self::parseHead($head);
        } while (intdiv($status, 100) === 1);
        if ($status === 0) {
            fclose($stream);
            throw new GatewayUnreachableException("$method $url had no answer");
        }
        if (($received['transfer-encoding'] ?? '') === 'chunked') {
            stream_filter_append($stream, 'dechunk', STREAM_FILTER_READ);
        }
        return new self($stream, $status, $received, "$method $url", null);
    }

    public function readAll(): string
    {
        $text = (string) stream_get_contents($this->stream);
        $length = $this->headers['content-length'] ?? null;
        $isCut = $length !== null && strlen($text) < (int) $length;
        $isLate = stream_get_meta_data($this->stream)['timed_out'];
        $this->close();
        if ($isCut || $isLate) {
            throw new GatewayUnreachableException("$this->place broke off", $this->key);
        }
        return $text;
    }

    /** Null at the end. */
    public function readLine(): ?string
    {
        $line = fgets($this->stream);
        if ($line === false && stream_get_meta_data($this->stream)['timed_out']) {
            throw new GatewayUnreachableException("$this->place was silent for too long", $this->key);
        }
        return $line === false ? null : rtrim($line, "\r\n");
    }

    public function close(): void
    {
        fclose($this->stream);
    }

    /**
     * @param array<string, string> $headers
     * @return list<string>
     */
    private static function formatHeaders(#[\SensitiveParameter] array $headers): array
    {
        $lines = [];
        foreach ($headers as $name => $value) {
            if (preg_match('/[\x00-\x1f\x7f]/', $value)) {
                throw new \InvalidArgumentException("The header $name has a line break or another control character.");
            }
            $lines[] = "$name: $value";
        }
        return $lines;
    }

    /**
     * @param list<string> $lines
     * @return array{int, array<string, string>}
     */
    private static function parseHead(array $lines): array
    {
        $status = 0;
        $headers = [];
        foreach ($lines as $line) {
            if (preg_match('#^HTTP/\S+ (\d+)#', $line, $found)) {
                $status = (int) $found[1];
                $headers = [];
                continue;
            }
            [$name, $value] = explode(':', $line, 2) + [1 => ''];
            $headers[strtolower(trim($name))] = trim($value);
        }
        return [$status, $headers];
    }
}
