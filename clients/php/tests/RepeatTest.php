<?php

declare(strict_types=1);

namespace Msgnet\Gateway\Tests;

use Msgnet\Gateway\GatewayException;
use Msgnet\Gateway\GatewayUnreachableException;
use Msgnet\Gateway\InstanceClient;
use Msgnet\Gateway\Repeats;

/** The cases of repeats that the clients of all languages run. */
final class RepeatTest extends TestCase
{
    public function testCases(): void
    {
        $cases = json_decode(file_get_contents(__DIR__ . '/../../repeat-cases.json'), true, flags: JSON_THROW_ON_ERROR);
        $this->assertSame(true, $cases !== []);
        foreach ($cases as $case) {
            $this->runCase($case);
        }
    }

    /** @param array<string, mixed> $case */
    private function runCase(array $case): void
    {
        $says = $case['says'];
        $repeats = ($case['repeats'] ?? true) ? new Repeats() : Repeats::never();
        $stub = new StubGateway($case['answers'], $repeats);
        $this->assertSame($case['ends'], self::describeEnd($stub->client, $case['call']), $says);
        $requests = $stub->takeRequests();
        $this->assertSame(count($case['answers']), count($requests), $says);
        $this->assertSame(count($case['pauses']), count($stub->pauses), $says);
        foreach ($stub->pauses as $n => $pause) {
            [$least, $most] = is_array($case['pauses'][$n]) ? $case['pauses'][$n] : array_fill(0, 2, $case['pauses'][$n]);
            $this->assertSame(true, $least <= $pause && $pause <= $most, "$says, pause $pause");
        }
        $keys = array_unique(array_map(static fn (array $each) => $each['headers']['idempotency-key'] ?? '', $requests));
        $this->assertSame(1, count($keys), $says);
        $this->assertSame($case['call'] === 'send', $keys[0] !== '', $says);
    }

    private static function describeEnd(InstanceClient $client, string $call): string
    {
        try {
            match ($call) {
                'send' => $client->sendText(number: '5511999999999', text: 'x'),
                'status' => $client->getStatus(),
                'connect' => $client->connect(),
            };
            return 'answer';
        } catch (GatewayException $refused) {
            return $refused->errorCode;
        } catch (GatewayUnreachableException) {
            return 'unreachable';
        }
    }
}
