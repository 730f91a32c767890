<?php

// An inbox that keeps what an instance tells it, and sends by what it knows. With more than one worker, for a send may wait:
// GATEWAY=… TOKEN=… SECRET=… STORE=events.jsonl PHP_CLI_SERVER_WORKERS=4 php -S 127.0.0.1:3000 inbox.php

declare(strict_types=1);

use Msgnet\Gateway\Enum\MediaType;
use Msgnet\Gateway\GatewayException;
use Msgnet\Gateway\InstanceClient;
use Msgnet\Gateway\Webhook;
use Msgnet\Gateway\WebhookRefusedException;

require __DIR__ . '/vendor/autoload.php';

const ENDS = ['logged_out', 'replaced', 'banned'];

/**
 * What is true after all events, each once and in the order of `seq`, in whichever order they came.
 *
 * @return array<string, mixed>
 */
function readBook(): array
{
    $lines = is_file(getenv('STORE')) ? file(getenv('STORE')) : [];
    $deliveries = array_map(fn (string $line) => json_decode($line, true, flags: JSON_THROW_ON_ERROR), $lines);
    $events = array_values(array_column($deliveries, null, 'eventId'));
    usort($events, fn (array $one, array $other) => $one['seq'] <=> $other['seq']);
    $book = ['messages' => [], 'newTexts' => [], 'reactions' => [], 'votes' => [], 'states' => [], 'left' => [], 'ended' => ''];
    foreach ($events as $event) {
        note($book, $event);
    }
    $isThere = fn (array $message) => ($book['states'][$message['id']] ?? '') !== 'Deleted';
    $renew = fn (array $message) => ['text' => $book['newTexts'][$message['id']] ?? $message['text']] + $message;
    return [
        'messages' => array_map($renew, array_values(array_filter($book['messages'], $isThere))),
        'repeated' => count($deliveries) - count($events),
        'missing' => $events ? end($events)['seq'] - $events[0]['seq'] + 1 - count($events) : 0,
    ] + $book;
}

/**
 * @param array<string, mixed> $book
 * @param array<string, mixed> $event
 */
function note(array &$book, array $event): void
{
    switch ($event['EventType']) {
        case 'messages':
            noteMessage($book, $event['message']);
            break;
        case 'messages_edit':
            // Its message may come later.
            if (!($event['event']['unreadable'] ?? false)) {
                $book['newTexts'][$event['event']['messageid']] = $event['event']['text'];
            }
            break;
        case 'messages_update':
            foreach ($event['event']['MessageIDs'] as $id) {
                if ($event['state'] === 'Voted') {
                    $book['votes']["$id {$event['event']['Sender']}"] = $event['event']['vote'];
                } else {
                    $book['states'][$id] = $event['state'];
                }
            }
            break;
        case 'groups':
            if (array_filter($event['event']['Leave'], fn (string $left) => str_contains($left, $event['owner']))) {
                $book['left'][] = $event['event']['JID'];
            }
            break;
        case 'connection':
            ['status' => $status, 'lastDisconnectReason' => $reason] = $event['instance'];
            $book['ended'] = $status === 'disconnected' && in_array($reason, ENDS, true) ? $reason : '';
    }
}

/**
 * @param array<string, mixed> $book
 * @param array<string, mixed> $message
 */
function noteMessage(array &$book, array $message): void
{
    // One of a person to a message: the newest. An empty text takes it back.
    if ($message['reaction'] !== '') {
        $book['reactions']["{$message['reaction']} {$message['sender']}"] = $message['text'];
        return;
    }
    $gone = $message['content']['disappearsAt'] ?? 0;
    $book['messages'][$message['messageid']] = [
        'id' => $message['messageid'],
        'text' => $message['text'],
        'mayAnswer' => !$message['fromMe'] && !$message['late'],
        'disappearsAfter' => $gone ? $gone - $message['messageTimestamp'] : 0,
    ];
}

/**
 * With a key of the caller's: what has no answer is asked for again by the client, with the same key.
 *
 * @param array<string, string> $order
 * @return array<string, mixed>
 */
function send(array $order): array
{
    ['ended' => $ended, 'left' => $left] = readBook();
    if ($ended !== '' || in_array($order['number'], $left, true)) {
        return ['status' => 0, 'error' => $ended ?: 'left'];
    }
    try {
        return ['status' => 200, 'messageid' => call($order, $order['key'])['messageid']];
    } catch (GatewayException $refused) {
        if ($refused->errorCode !== 'media_unavailable') {
            return ['status' => $refused->status, 'error' => $refused->errorCode];
        }
    }
    // Certainly without effect: with another key it is tried anew.
    return ['status' => 200, 'messageid' => call($order, "{$order['key']}-anew")['messageid']];
}

/**
 * @param array<string, string> $order
 * @return array<string, mixed>
 */
function call(array $order, string $key): array
{
    $shop = new InstanceClient(getenv('GATEWAY'), getenv('TOKEN'));
    $to = ['number' => $order['number'], 'idempotencyKey' => $key];
    return isset($order['file'])
        ? $shop->sendMedia(...$to, type: MediaType::Document, file: $order['file'], docName: 'prices.txt')
        : $shop->sendText(...$to, text: $order['text'], sendAt: $order['sendAt'] ?? null);
}

$body = file_get_contents('php://input');
if ($_SERVER['REQUEST_METHOD'] === 'GET') {
    echo json_encode(readBook());
} elseif ($_SERVER['REQUEST_URI'] === '/send') {
    echo json_encode(send(json_decode($body, true)));
} else {
    try {
        $event = Webhook::verify($body, getallheaders(), getenv('SECRET'));
        // Each delivery as it came. A program keeps them in its database, and answers 2xx when they are there.
        file_put_contents(getenv('STORE'), json_encode($event) . "\n", FILE_APPEND | LOCK_EX);
        http_response_code(204);
    } catch (WebhookRefusedException) {
        http_response_code(401);
    }
}
