<?php

// Answers every text of a person with the same text, each once.
//
// GATEWAY=http://127.0.0.1:8787 TOKEN=mgi_… php echo_bot.php

declare(strict_types=1);

use Msgnet\Gateway\GatewayException;
use Msgnet\Gateway\GatewayUnreachableException;
use Msgnet\Gateway\InstanceClient;
use Msgnet\Gateway\OutcomeUnknownException;

require __DIR__ . '/../autoload.php';

$shop = new InstanceClient(getenv('GATEWAY'), getenv('TOKEN'));

// While the gateway is away, it is asked again with the same key.
$answer = function (string $number, string $text, string $key) use ($shop): array {
    while (true) {
        try {
            return $shop->sendText(number: $number, text: $text, idempotencyKey: $key);
        } catch (GatewayUnreachableException) {
            sleep(2);
        }
    }
};

// A program that keeps the last `seq` goes on there after a restart.
foreach ($shop->stream(after: (int) getenv('AFTER')) as $event) {
    if ($event['EventType'] !== 'messages') {
        continue;
    }
    $message = $event['message'];
    if ($message['fromMe'] || $message['isGroup'] || $message['text'] === '') {
        continue;
    }
    try {
        // The event's id as the key: an event that is handled twice is answered once.
        $sent = $answer($message['chatid'], "You said: {$message['text']}", $event['eventId']);
        echo "{$event['seq']}: answered with {$sent['messageid']}\n";
    } catch (OutcomeUnknownException $unknown) {
        echo "{$event['seq']}: perhaps answered, {$unknown->messageid}\n";
    } catch (GatewayException $refused) {
        echo "{$event['seq']}: not answered, {$refused->getMessage()}\n";
    }
}
