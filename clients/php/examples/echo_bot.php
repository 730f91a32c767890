<?php

// Answers every text of a person with the same text, each once.
//
// GATEWAY=http://127.0.0.1:8787 TOKEN=mgi_… php echo_bot.php

declare(strict_types=1);

use Msgnet\Gateway\GatewayException;
use Msgnet\Gateway\InstanceClient;
use Msgnet\Gateway\OutcomeUnknownException;

require __DIR__ . '/../autoload.php';

$shop = new InstanceClient(getenv('GATEWAY'), getenv('TOKEN'));

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
        $sent = $shop->sendText(
            number: $message['chatid'],
            text: "You said: {$message['text']}",
            idempotencyKey: $event['eventId'],
        );
        echo "{$event['seq']}: answered with {$sent['messageid']}\n";
    } catch (OutcomeUnknownException $unknown) {
        echo "{$event['seq']}: perhaps answered, {$unknown->messageid}\n";
    } catch (GatewayException $refused) {
        echo "{$event['seq']}: not answered, {$refused->getMessage()}\n";
    }
}
