<?php

declare(strict_types=1);

namespace Msgnet\Gateway\Tests;

use Msgnet\Gateway\AdminClient;
use Msgnet\Gateway\Enum\EventName;
use Msgnet\Gateway\Enum\EventStatus;
use Msgnet\Gateway\Enum\MediaType;
use Msgnet\Gateway\ErrorCode;
use Msgnet\Gateway\GatewayException;
use Msgnet\Gateway\GatewayUnreachableException;
use Msgnet\Gateway\InstanceClient;
use Msgnet\Gateway\OutcomeUnknownException;
use Msgnet\Gateway\Repeats;

/** Requests, pages and streams, against a gateway that answers to order. */
final class ClientTest extends TestCase
{
    private const OK = ['status' => 200];

    public function testRequestHasCredentialKeyAndWhatWasPassed(): void
    {
        $stub = new StubGateway([['status' => 200, 'body' => ['messageid' => '3EB0']]]);
        $sent = $stub->client->sendText('5511999999999', 'Olá', delay: 5, idempotencyKey: 'order-7', waitSeconds: 5);
        $this->assertSame('3EB0', $sent['messageid']);
        [$request] = $stub->takeRequests();
        $this->assertSame(['POST', '/send/text'], [$request['method'], $request['path']]);
        $this->assertSame('{"number":"5511999999999","text":"Olá","delay":5}', $request['text']);
        foreach (['token' => 'mgi_one', 'idempotency-key' => 'order-7', 'prefer' => 'wait=5'] as $name => $value) {
            $this->assertSame($value, $request['headers'][$name]);
        }
    }

    public function testEnumsListsAndEmptyObjectsAreSpelledAsTheApiDoes(): void
    {
        $stub = new StubGateway([self::OK, self::OK, self::OK, self::OK]);
        $stub->client->sendMedia('5511999999999', MediaType::Image, 'https://example.com/a.png');
        $stub->client->configureWebhook(url: 'https://example.com/', events: [EventName::Messages], headers: []);
        $stub->client->restart();
        $stub->client->listEvents(status: EventStatus::Dead, payload: false);
        [$media, $webhook, $restart, $events] = $stub->takeRequests();
        $this->assertSame('image', $media['body']['type']);
        $this->assertSame('{"url":"https://example.com/","events":["messages"],"headers":{}}', $webhook['text']);
        $this->assertSame('', $restart['text']);
        $this->assertSame('/v1/events?status=dead&payload=false', $events['path']);
    }

    public function testClientWithoutCredentialAndHeaderWithLineBreakAreWrongCalls(): void
    {
        $this->catch(\InvalidArgumentException::class, static fn () => new InstanceClient('http://gateway'));
        $client = new InstanceClient('http://gateway', "mgi_one\r\nadmintoken: mga_two");
        $this->catch(\InvalidArgumentException::class, static fn () => $client->getStatus());
    }

    public function testOutcomeThatStaysUnknownNamesMessageAndKey(): void
    {
        $unknown = ['status' => 504, 'error' => 'outcome_unknown', 'messageid' => '3EB0'];
        $stub = new StubGateway([$unknown], Repeats::never());
        $error = $this->catch(
            OutcomeUnknownException::class,
            static fn () => $stub->client->sendText('5511999999999', 'x', idempotencyKey: 'order-8'),
        );
        $this->assertSame(['3EB0', 'order-8', true], [
            $error->messageid,
            $error->idempotencyKey,
            $error->is(ErrorCode::OutcomeUnknown),
        ]);
    }

    public function testRedirectIsNotFollowed(): void
    {
        $stub = new StubGateway([['status' => 302, 'text' => '']], Repeats::never());
        $error = $this->catch(GatewayException::class, static fn () => $stub->client->getStatus());
        $this->assertSame([302, 'not_json'], [$error->status, $error->errorCode]);
    }

    public function testPagesAreGoneThrough(): void
    {
        $stub = new StubGateway([
            ['status' => 200, 'body' => ['messages' => [1, 2], 'hasMore' => true, 'nextOffset' => 2]],
            ['status' => 200, 'body' => ['messages' => [3], 'hasMore' => false, 'nextOffset' => 3]],
        ]);
        $seen = iterator_to_array($stub->client->iterateMessages(chatid: '1@g.us'), false);
        $this->assertSame([1, 2, 3], $seen);
        $this->assertSame(['chatid' => '1@g.us', 'offset' => 2], $stub->takeRequests()[1]['body']);
    }

    public function testEventsAreGoneThroughOldestFirstAfterASeq(): void
    {
        $pages = array_map(
            static fn (array $events) => ['status' => 200, 'body' => ['events' => $events]],
            [[['seq' => 8]], [['seq' => 9]], []],
        );
        $stub = new StubGateway($pages);
        $seen = iterator_to_array($stub->client->iterateEvents(afterSeq: 7), false);
        $this->assertSame([['seq' => 8], ['seq' => 9]], $seen);
        $paths = array_column($stub->takeRequests(), 'path');
        $this->assertSame(array_map(static fn (int $n) => "/v1/events?afterSeq=$n", [7, 8, 9]), $paths);
    }

    public function testStreamGoesOnAfterTheLastEvent(): void
    {
        $stub = new StubGateway([
            ['status' => 200, 'body' => ['events' => [['seq' => 3]]]],
            ['status' => 200, 'text' => ": welcome\n\nid: 4\ndata: {\"seq\": 4}\n\ndata: {\"seq\": 0}\n\ndata: {\"se"],
            'broken',
            ['status' => 503, 'text' => '<h1>Starting</h1>'],
            ['status' => 200, 'text' => "data: {\"seq\": 5}\n\n"],
        ]);
        $seen = [];
        foreach ($stub->client->stream() as $event) {
            $seen[] = $event['seq'];
            if (count($seen) === 3) {
                break;
            }
        }
        $this->assertSame([4, 0, 5], $seen);
        $this->assertSame([1.0, 2.0, 4.0], $stub->pauses);
        $headers = array_column($stub->takeRequests(), 'headers');
        $this->assertSame(['3', '4', '4', '4'], array_column($headers, 'last-event-id'));
    }

    public function testStreamEndsWithARefusal(): void
    {
        $stub = new StubGateway([['status' => 401, 'error' => 'unauthorized']]);
        $error = $this->catch(GatewayException::class, static fn () => $stub->client->stream(after: 0)->current());
        $this->assertSame('unauthorized', $error->errorCode);
    }

    public function testExportThatBreaksOffThrows(): void
    {
        $stub = new StubGateway([['status' => 200, 'text' => "{\"type\": \"call\"}\n"]]);
        $lines = (new AdminClient($stub->url, 'mga_one'))->exportInstance('a/b');
        $this->assertSame(['type' => 'call'], $lines->current());
        $this->catch(GatewayUnreachableException::class, static fn () => $lines->next());
        $this->assertSame('/v1/instances/a%2Fb/export', $stub->takeRequests()[0]['path']);
    }

    public function testCredentialIsSentLineByLineAsItComes(): void
    {
        $imported = ['status' => 200, 'body' => ['imported' => ['rows' => 1]], 'chunked' => true];
        $stub = new StubGateway([['before' => "HTTP/1.1 100 Continue\r\n\r\n"] + $imported]);
        $lines = ["{\"format\":\"baileys\"}\n", '', "{\"kind\":\"creds\"}\n", "{\"end\":true,\"rows\":1}\n"];
        $result = $stub->client->importCredential((static fn () => yield from $lines)());
        $this->assertSame(1, $result['imported']['rows']);
        [$request] = $stub->takeRequests();
        $this->assertSame(['POST', '/instance/import'], [$request['method'], $request['path']]);
        $this->assertSame(array_values(array_filter($lines)), $request['chunks']);
        foreach (['token' => 'mgi_one', 'content-type' => 'application/x-ndjson'] as $name => $value) {
            $this->assertSame($value, $request['headers'][$name]);
        }
    }

    public function testRefusedCredentialThrowsAndIsNotSentAgain(): void
    {
        $stub = new StubGateway([['status' => 503, 'error' => 'worker_full', 'retryAfter' => 1], self::OK]);
        $error = $this->catch(
            GatewayException::class,
            static fn () => $stub->client->importCredential(["{\"format\":\"baileys\"}\n"]),
        );
        $this->assertSame('worker_full', $error->errorCode);
        $this->assertSame([1, []], [count($stub->takeRequests()), $stub->pauses]);
    }

    public function testCredentialWithoutAnswerIsUnreachable(): void
    {
        $stub = new StubGateway(['broken']);
        $this->catch(GatewayUnreachableException::class, static fn () => $stub->client->importCredential(["{}\n"]));
        unset($stub);
        $client = new InstanceClient('http://127.0.0.1:1', 'mgi_one');
        $this->catch(GatewayUnreachableException::class, static fn () => $client->importCredential([]));
    }
}
