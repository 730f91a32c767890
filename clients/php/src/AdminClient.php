<?php

declare(strict_types=1);

namespace Msgnet\Gateway;

/**
 * The operator, by an admin token. Every method throws a GatewayException if the gateway refuses, and a
 * GatewayUnreachableException if there is no answer.
 */
class AdminClient extends AdminRoutes
{
    private readonly Repeats $repeats;

    /** @param float $timeout Seconds without a byte after which a request counts as broken. */
    public function __construct(
        private readonly string $baseUrl,
        #[\SensitiveParameter] string $adminToken,
        ?Repeats $repeats = null,
        private readonly float $timeout = Sender::TIMEOUT,
    ) {
        $this->repeats = $repeats ?? new Repeats();
        parent::__construct(new Sender($baseUrl, ['admintoken' => $adminToken], $this->repeats, $timeout));
    }

    /** The client of an instance, by its token. */
    public function instance(#[\SensitiveParameter] string $token): InstanceClient
    {
        return new InstanceClient($this->baseUrl, $token, repeats: $this->repeats, timeout: $this->timeout);
    }

    /**
     * Everything that is stored of an instance, record by record. It is complete only with its `end`: if it breaks,
     * a GatewayUnreachableException is thrown.
     *
     * @return \Generator<int, array<string, mixed>>
     */
    public function exportInstance(string $id): \Generator
    {
        foreach ($this->sender->openLines(Sender::insert('/v1/instances/{id}/export', $id)) as $text) {
            $line = json_decode($text, true);
            if (!is_array($line) || $line['type'] === 'error') {
                break;
            }
            yield $line;
            if ($line['type'] === 'end') {
                return;
            }
        }
        throw new GatewayUnreachableException('the export broke off');
    }
}
