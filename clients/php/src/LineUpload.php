<?php

declare(strict_types=1);

namespace Msgnet\Gateway;

/**
 * Sends lines as they come, in chunks, over a connection of its own: PHP's http stream takes a body as one text only.
 *
 * @internal
 */
final class LineUpload
{
    /** @param resource $stream */
    private function __construct(private $stream)
    {
    }

    /**
     * The connection, whose answer is still to be read. A gateway that refuses may answer before the last line.
     *
     * @param list<string> $head The lines of the headers.
     * @param iterable<string> $lines
     * @return resource
     */
    public static function send(string $method, string $url, array $head, iterable $lines, float $timeout)
    {
        $place = parse_url($url);
        $isSecure = ($place['scheme'] ?? '') === 'https';
        $host = $place['host'] ?? '';
        $port = $place['port'] ?? ($isSecure ? 443 : 80);
        $address = ($isSecure ? 'tls' : 'tcp') . "://$host:$port";
        $stream = @stream_socket_client($address, $code, $why, $timeout);
        if ($stream === false) {
            throw new GatewayUnreachableException("$method $url had no answer: $why");
        }
        stream_set_timeout($stream, (int) $timeout, (int) (fmod($timeout, 1) * 1e6));
        $upload = new self($stream);
        $target = ($place['path'] ?? '/') . (isset($place['query']) ? "?{$place['query']}" : '');
        $own = ["host: $host" . (isset($place['port']) ? ":$port" : ''), 'transfer-encoding: chunked', 'connection: close'];
        $upload->write("$method $target HTTP/1.1\r\n" . implode("\r\n", [...$own, ...$head]) . "\r\n\r\n")
            && $upload->writeChunks($lines);
        return $stream;
    }

    /** @param iterable<string> $lines */
    private function writeChunks(iterable $lines): void
    {
        foreach ($lines as $line) {
            // An empty chunk would be the end.
            if ($line !== '' && !$this->write(dechex(strlen($line)) . "\r\n$line\r\n")) {
                return;
            }
        }
        $this->write("0\r\n\r\n");
    }

    private function write(string $bytes): bool
    {
        while ($bytes !== '') {
            $written = @fwrite($this->stream, $bytes);
            if ($written === false || $written === 0) {
                return false;
            }
            $bytes = substr($bytes, $written);
        }
        return true;
    }
}
