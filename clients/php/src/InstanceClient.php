<?php

declare(strict_types=1);

namespace Msgnet\Gateway;

/**
 * One instance, by its own token; or by an admin token that acts for an instance. Every method throws a
 * GatewayException if the gateway refuses, and a GatewayUnreachableException if there is no answer.
 *
 * @phpstan-import-type Envelope from Types
 * @phpstan-import-type ImportResult from Types
 */
class InstanceClient extends InstanceRoutes
{
    /** @param float $timeout Seconds without a byte after which a request counts as broken. */
    public function __construct(
        string $baseUrl,
        #[\SensitiveParameter] ?string $token = null,
        #[\SensitiveParameter] ?string $adminToken = null,
        ?string $instance = null,
        ?Repeats $repeats = null,
        float $timeout = Sender::TIMEOUT,
    ) {
        if (($token === null) === ($adminToken === null || $instance === null)) {
            throw new \InvalidArgumentException('Pass token, or adminToken and instance: is a variable not set?');
        }
        $credential = $token === null ? ['admintoken' => $adminToken, 'instance' => $instance] : ['token' => $token];
        parent::__construct(new Sender($baseUrl, $credential, $repeats ?? new Repeats(), $timeout));
    }

    /**
     * Events as they happen, for as long as you iterate. A stream that breaks is opened again without a gap or a
     * repeat; only a refusal is thrown.
     *
     * @param int|null $after The `seq` of the last event that was handled; without it only new events come.
     * @return \Generator<int, Envelope>
     */
    public function stream(?int $after = null): \Generator
    {
        return EventStream::read($this->sender, $after);
    }

    /**
     * Takes over a linked device from another program.
     *
     * @param iterable<string> $lines The credential as lines of JSON, each with its line break; an SplFileObject is such
     *     lines. They are sent as they come, up to 64 MiB.
     * @return ImportResult
     */
    public function importCredential(iterable $lines): array
    {
        return $this->sender->sendLines('/instance/import', $lines);
    }
}
