<?php

declare(strict_types=1);

namespace Msgnet\Gateway;

/**
 * Events as they happen.
 *
 * @internal
 * @phpstan-import-type Envelope from Types
 */
final class EventStream
{
    /**
     * Opens the stream again after the last event, without a gap or a repeat.
     *
     * @return \Generator<int, Envelope>
     */
    public static function read(Sender $sender, ?int $after): \Generator
    {
        $last = $after ?? self::findLast($sender);
        $failed = 0;
        while (true) {
            try {
                foreach ($sender->openLines('/v1/events/stream', ['last-event-id' => (string) $last]) as $line) {
                    if (!str_starts_with($line, 'data:')) {
                        continue;
                    }
                    $envelope = json_decode(substr($line, strlen('data:')), true);
                    // A line that broke off comes again.
                    if (!is_array($envelope)) {
                        break;
                    }
                    $failed = 0;
                    // What is not stored has the number 0.
                    $last = $envelope['seq'] ?: $last;
                    yield $envelope;
                }
            } catch (GatewayUnreachableException) {
            } catch (GatewayException $error) {
                if (!self::mayReopen($error->status)) {
                    throw $error;
                }
            }
            ($sender->sleep)(Repeats::lengthen(RepeatRules::STREAM_PAUSE, $failed));
            $failed++;
        }
    }

    private static function mayReopen(int $status): bool
    {
        return $status >= RepeatRules::STREAM_MIN_STATUS || in_array($status, RepeatRules::STREAM_STATUSES, true);
    }

    private static function findLast(Sender $sender): int
    {
        $newest = $sender->send('GET', '/v1/events', query: ['limit' => 1, 'payload' => false], reading: true);
        return $newest['events'][0]['seq'] ?? 0;
    }
}
