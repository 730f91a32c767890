<?php

// A bot that answers every text of a person, each once: GATEWAY=… TOKEN=… SECRET=… php -S 127.0.0.1:3000 bot.php

declare(strict_types=1);

use Msgnet\Gateway\InstanceClient;
use Msgnet\Gateway\Webhook;
use Msgnet\Gateway\WebhookRefusedException;

require __DIR__ . '/vendor/autoload.php';

/** @param array<string, mixed> $event */
function answer(array $event): void
{
    if ($event['EventType'] !== 'messages') {
        return;
    }
    $message = $event['message'];
    if ($message['fromMe'] || $message['isGroup'] || ($message['late'] ?? false) || $message['text'] === '') {
        return;
    }
    // The event's id as the key: an event that comes twice is answered once.
    (new InstanceClient(getenv('GATEWAY'), getenv('TOKEN')))->sendText(
        number: $message['chatid'],
        text: "You said: {$message['text']}",
        idempotencyKey: $event['eventId'],
    );
}

try {
    answer(Webhook::verify(file_get_contents('php://input'), getallheaders(), getenv('SECRET')));
    http_response_code(204);
} catch (WebhookRefusedException) {
    http_response_code(401);
}
// Of any other exception PHP makes a 500: what could not be answered comes again.
