<?php

declare(strict_types=1);

namespace Msgnet\Gateway\Tests;

use Msgnet\Gateway\InstanceClient;
use Msgnet\Gateway\Repeats;

/** A gateway that answers to order, and a client whose pauses are remembered. */
final class StubGateway
{
    public readonly string $url;
    public readonly InstanceClient $client;
    /** @var list<float> */
    public array $pauses = [];
    /** @var resource */
    private $process;
    /** @var resource */
    private $output;

    /** @param list<mixed> $answers `broken` breaks the connection after the request was read. */
    public function __construct(array $answers, ?Repeats $repeats = null)
    {
        $command = [PHP_BINARY, __DIR__ . '/stub-server.php', json_encode($answers, JSON_THROW_ON_ERROR)];
        $this->process = proc_open($command, [1 => ['pipe', 'w']], $pipes);
        $this->output = $pipes[1];
        $this->url = 'http://' . trim((string) fgets($this->output));
        $this->client = new InstanceClient($this->url, 'mgi_one', repeats: $repeats);
        $sleep = function (float $seconds): void {
            $this->pauses[] = $seconds;
        };
        (function () use ($sleep): void {
            $this->sender->sleep = $sleep;
        })->call($this->client);
    }

    /**
     * What came until now.
     *
     * @return list<array<string, mixed>>
     */
    public function takeRequests(): array
    {
        stream_set_blocking($this->output, false);
        $lines = explode("\n", trim((string) stream_get_contents($this->output)));
        return array_map(static fn (string $line): array => json_decode($line, true), array_filter($lines));
    }

    public function __destruct()
    {
        proc_terminate($this->process, 9);
        proc_close($this->process);
    }
}
