<?php
// A webhook receiver in PHP: verifies, keeps each event once, and answers 2xx only after it is on disk.
// SECRET=whsec_… DATABASE=events.db php -S 127.0.0.1:8788 receiver.php   (with the extension pdo_sqlite)

const TOLERANCE_SECONDS = 300;

/** `whsec_` and base64 of 24 to 64 bytes stands for those bytes, any other secret for its own ASCII. */
function keyOf(string $secret): string
{
    $decoded = str_starts_with($secret, 'whsec_') ? base64_decode(substr($secret, 6), true) : false;
    return $decoded !== false && strlen($decoded) >= 24 && strlen($decoded) <= 64 ? $decoded : $secret;
}

function isGenuine(string $secret, string $body): bool
{
    // Anybody can sign with an empty key.
    if ($secret === '') {
        return false;
    }
    $id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
    $timestamp = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
    if ($id === '' || !ctype_digit($timestamp) || abs(time() - (int) $timestamp) > TOLERANCE_SECONDS) {
        return false;
    }
    $mac = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", keyOf($secret), true));
    // Several while a secret is being changed: one that fits is enough.
    foreach (explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '') as $signature) {
        if (hash_equals($mac, $signature)) {
            return true;
        }
    }
    return false;
}

$body = file_get_contents('php://input');
if (!isGenuine(getenv('SECRET') ?: '', $body)) {
    http_response_code(401);
    return;
}
$database = new PDO('sqlite:' . (getenv('DATABASE') ?: 'events.db'));
$database->setAttribute(PDO::ATTR_ERRMODE, PDO::ERRMODE_EXCEPTION);
$database->exec('pragma synchronous = full');
$database->exec('create table if not exists events (id text primary key, body text not null)');
// The id is the event's on every attempt: what is there already changes nothing.
// Work on it later, from the table: a slow answer is a failed delivery.
$keep = $database->prepare('insert or ignore into events (id, body) values (?, ?)');
$keep->execute([$_SERVER['HTTP_WEBHOOK_ID'], $body]);
http_response_code(204);
