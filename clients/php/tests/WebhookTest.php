<?php

declare(strict_types=1);

namespace Msgnet\Gateway\Tests;

use Msgnet\Gateway\RefusalReason;
use Msgnet\Gateway\Webhook;
use Msgnet\Gateway\WebhookRefusedException;

/** Deliveries: what is signed is taken, on the bytes that came, and the rest is refused. */
final class WebhookTest extends TestCase
{
    private const BODY = '{"EventType":"test","eventId":"0b8f2c1d-9a53-4f0e-8a43-6f1f6b1d2c11","seq":0}';
    private const AT = 1789635720;
    private const SECRET = 'whsec_BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=';
    private const SIGNATURE = 'v1,BLFwR4t20VysQs1uybdGe0kRhbDeShMoz+nMhU+sswk=';
    private const PLAIN = 'v1,4cXSwLFVNx3RQYECn0WnJiTBzh45Rd46hGvYDlHc2Kg=';

    /** @return array<string, string> */
    private static function sign(string $signature = self::SIGNATURE, string $timestamp = self::AT . ''): array
    {
        return [
            'Webhook-Id' => '0b8f2c1d-9a53-4f0e-8a43-6f1f6b1d2c11',
            'Webhook-Timestamp' => $timestamp,
            'Webhook-Signature' => $signature,
        ];
    }

    public function testPublishedSignaturesFit(): void
    {
        $this->assertSame(0, Webhook::verify(self::BODY, self::sign(), self::SECRET, now: self::AT)['seq']);
        Webhook::verify(self::BODY, self::sign(self::PLAIN), 'plain-secret', now: self::AT);
        $both = self::sign('v1,AAAA ' . self::SIGNATURE);
        Webhook::verify(self::BODY, $both, ['another', self::SECRET], now: self::AT + 299);
    }

    public function testHeadersOfPhpAndOfFrameworksAreRead(): void
    {
        $server = [];
        foreach (self::sign() as $name => $value) {
            $server['HTTP_' . strtoupper(str_replace('-', '_', $name))] = $value;
        }
        Webhook::verify(self::BODY, $server + ['argc' => 1], self::SECRET, now: self::AT);
        $lists = array_map(static fn (string $value) => [$value], self::sign());
        Webhook::verify(self::BODY, array_change_key_case($lists), self::SECRET, now: self::AT);
    }

    public function testTheRestIsRefusedWithAReason(): void
    {
        foreach (
            [
                [RefusalReason::NoSignatureFits, self::BODY, self::sign(), 'another', self::AT],
                [RefusalReason::NoSignatureFits, self::BODY . ' ', self::sign(), self::SECRET, self::AT],
                [RefusalReason::NoSignatureFits, self::BODY, self::sign('v1,ö'), self::SECRET, self::AT],
                [RefusalReason::TooOld, self::BODY, self::sign(), self::SECRET, self::AT + 301],
                [RefusalReason::TooNew, self::BODY, self::sign(), self::SECRET, self::AT - 301],
                [RefusalReason::TimestampUnreadable, self::BODY, self::sign(timestamp: 'x'), self::SECRET, self::AT],
                [RefusalReason::HeaderMissing, self::BODY, self::sign(''), self::SECRET, self::AT],
            ] as [$reason, $body, $headers, $secret, $now]
        ) {
            $error = $this->catch(
                WebhookRefusedException::class,
                static fn () => Webhook::verify($body, $headers, $secret, now: $now),
            );
            $this->assertSame($reason, $error->reason);
        }
    }

    public function testWrongCallIsAnInvalidArgument(): void
    {
        foreach (['', self::SECRET . "\n", []] as $secret) {
            $this->catch(
                \InvalidArgumentException::class,
                static fn () => Webhook::verify(self::BODY, self::sign(), $secret, now: self::AT),
            );
        }
    }
}
