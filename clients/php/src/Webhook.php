<?php

declare(strict_types=1);

namespace Msgnet\Gateway;

/**
 * Verifies deliveries on the receiver's side (Standard Webhooks 1.0).
 *
 * @phpstan-import-type Envelope from Types
 */
final class Webhook
{
    public const TOLERANCE = 300;

    /**
     * The envelope of a delivery if its signature is valid; else throws a WebhookRefusedException. `$body` is what
     * came, before anything has parsed it: `file_get_contents('php://input')`, `$request->getContent()` in Laravel and
     * Symfony, `(string) $request->getBody()` in PSR-7. While a secret is being changed pass both: one that fits is
     * enough.
     *
     * @param array<string, mixed> $headers Of `getallheaders()`, `$_SERVER`, `$request->headers->all()` or PSR-7.
     * @param string|list<string> $secret
     * @param int $tolerance Seconds: the maximum age of a delivery, and by how much its clock may be fast.
     * @param int|null $now The present time in seconds.
     * @return Envelope
     */
    public static function verify(
        string $body,
        array $headers,
        #[\SensitiveParameter] string|array $secret,
        int $tolerance = self::TOLERANCE,
        ?int $now = null,
    ): array {
        $keys = array_map(self::decodeSecret(...), self::checkSecrets((array) $secret));
        $given = self::nameHeaders($headers);
        $id = self::requireHeader($given, 'webhook-id');
        $timestamp = self::requireHeader($given, 'webhook-timestamp');
        $signatures = explode(' ', self::requireHeader($given, 'webhook-signature'));
        self::checkAge($timestamp, $now ?? time(), $tolerance);

        $fits = false;
        foreach ($keys as $key) {
            $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
            foreach ($signatures as $signature) {
                $fits = hash_equals($expected, $signature) || $fits;
            }
        }
        if (!$fits) {
            throw new WebhookRefusedException(
                RefusalReason::NoSignatureFits,
                'No signature fits: another secret, or the body is not what came byte for byte.',
            );
        }
        return json_decode($body, true, flags: JSON_THROW_ON_ERROR);
    }

    /**
     * @param array<mixed> $secrets
     * @return non-empty-list<string>
     */
    private static function checkSecrets(#[\SensitiveParameter] array $secrets): array
    {
        foreach ($secrets as $secret) {
            if (!is_string($secret) || !preg_match('/^[\x21-\x7e]+$/D', $secret)) {
                throw new \InvalidArgumentException(
                    'A secret is empty, or has a space or a line break: is the variable set?',
                );
            }
        }
        if ($secrets === []) {
            throw new \InvalidArgumentException('verify needs the secret that the webhook was saved with.');
        }
        return array_values($secrets);
    }

    /**
     * By their names in small letters. `$_SERVER` calls them `HTTP_WEBHOOK_ID`, PSR-7 has lists of values.
     *
     * @param array<string, mixed> $headers
     * @return array<string, mixed>
     */
    private static function nameHeaders(array $headers): array
    {
        $named = [];
        foreach ($headers as $name => $value) {
            $plain = preg_replace('/^http-/', '', str_replace('_', '-', strtolower((string) $name)));
            $named[$plain] = is_array($value) ? ($value[0] ?? '') : $value;
        }
        return $named;
    }

    /** @param array<string, mixed> $headers */
    private static function requireHeader(array $headers, string $name): string
    {
        $value = $headers[$name] ?? '';
        if (is_string($value) && $value !== '') {
            return $value;
        }
        $why = $name === 'webhook-signature' ? ': was the webhook saved with a secret?' : '.';
        throw new WebhookRefusedException(RefusalReason::HeaderMissing, "The delivery has no $name$why");
    }

    private static function checkAge(string $timestamp, int $now, int $tolerance): void
    {
        if (!ctype_digit($timestamp)) {
            throw new WebhookRefusedException(
                RefusalReason::TimestampUnreadable,
                'The webhook-timestamp is no number of seconds.',
            );
        }
        $age = $now - (int) $timestamp;
        if ($age > $tolerance) {
            throw new WebhookRefusedException(RefusalReason::TooOld, "The timestamp is $age s old: a replay?");
        }
        if (-$age > $tolerance) {
            $ahead = -$age;
            throw new WebhookRefusedException(RefusalReason::TooNew, "The timestamp is $ahead s ahead.");
        }
    }

    /** `whsec_` and base64 of 24 to 64 bytes is those bytes; any other secret is its own ASCII. */
    private static function decodeSecret(#[\SensitiveParameter] string $secret): string
    {
        $key = str_starts_with($secret, 'whsec_') ? base64_decode(substr($secret, strlen('whsec_')), true) : false;
        return $key !== false && strlen($key) >= 24 && strlen($key) <= 64 ? $key : $secret;
    }
}
