<?php

// The bot on a whole gateway with a simulated network: what it answers, and what it does when something goes wrong.

declare(strict_types=1);

use Msgnet\Gateway\InstanceClient;
use PHPUnit\Framework\TestCase;

require_once __DIR__ . '/vendor/autoload.php';
require_once __DIR__ . '/Lab.php';

final class BotTest extends TestCase
{
    private static Lab $lab;
    /** @var array{id: string, token: string, number: string} */
    private array $shop;
    /** @var resource */
    private $bot;

    public static function setUpBeforeClass(): void
    {
        self::$lab = new Lab();
    }

    /** An instance whose events go to the bot. */
    protected function setUp(): void
    {
        $this->shop = self::$lab->createInstance();
        $place = $this->findPlace();
        $variables = ['GATEWAY' => self::$lab->gateway, 'TOKEN' => $this->shop['token'], 'SECRET' => self::$lab->secret];
        $output = ['file', '/dev/null', 'w'];
        $command = [PHP_BINARY, '-S', $place, __DIR__ . '/bot.php'];
        $this->bot = proc_open($command, [1 => $output, 2 => $output], $pipes, __DIR__, $variables + getenv());
        Lab::waitUntil(fn () => @stream_socket_client("tcp://$place") !== false);
        self::$lab->forwardTo("http://$place", $this->shop);
    }

    protected function tearDown(): void
    {
        self::$lab->forwardTo(null, $this->shop);
        proc_terminate($this->bot);
        proc_close($this->bot);
    }

    public function testAnswersAMessage(): void
    {
        $ana = self::$lab->createPhone('Ana');
        self::$lab->write($ana, $this->shop['number'], 'hello');
        Lab::waitUntil(fn () => self::$lab->readTexts($ana) !== []);
        $this->assertSame(['You said: hello'], self::$lab->readTexts($ana));
    }

    public function testAnswersAnEventThatComesTwiceOnce(): void
    {
        $story = self::$lab->play('an event that comes twice', $this->shop);
        ['judgement' => $judgement, 'received' => $received] = self::$lab->received($this->shop);
        $isIt = fn (array $one) => ($one['envelope']['message']['messageid'] ?? '') === $story['messages'][0];
        $both = array_values(array_filter($received, $isIt));
        $this->assertSame([false, true], array_column($both, 'isRepeated'));
        $this->assertSame([204, 204], array_column($both, 'program'));
        $this->assertSame([0, 0], [$judgement['wrongSignatures'], $judgement['refusedByProgram']]);
        $this->assertSame(['You said: once, please'], self::$lab->readTexts($story['from']));
    }

    public function testSendsOnceWhatTheNetworkDidNotConfirm(): void
    {
        $to = self::$lab->play('a 504 that becomes true', $this->shop)['to'];
        $shop = new InstanceClient(self::$lab->gateway, $this->shop['token']);
        // An outcome that is unknown is asked for by the client, with the same key.
        $sent = $shop->sendText(number: $to, text: 'Order 7 is on its way', idempotencyKey: 'order-7');
        $isUpdate = fn (array $one) => in_array($sent['messageid'], $one['envelope']['event']['MessageIDs'] ?? [], true);
        Lab::waitUntil(fn () => array_filter(self::$lab->received($this->shop)['received'], $isUpdate) !== []);
        $this->assertSame(['Order 7 is on its way'], self::$lab->readTexts($to));
    }

    /** A free one: PHP's server does not say which it has taken. */
    private function findPlace(): string
    {
        $socket = stream_socket_server('tcp://127.0.0.1:0');
        $place = stream_socket_get_name($socket, false);
        fclose($socket);
        return $place;
    }
}
