<?php

// The laboratory in tests. `npx msgnet-gateway lab` starts it, before them.

declare(strict_types=1);

final class Lab
{
    public readonly string $gateway;
    public readonly string $secret;
    private readonly string $url;
    private readonly string $simulator;

    public function __construct()
    {
        $this->url = getenv('MSGNET_LAB') ?: 'http://127.0.0.1:8786/lab';
        $facts = $this->call('GET', '');
        $this->gateway = $facts['baseUrl'];
        $this->simulator = $facts['simulatorUrl'];
        $this->secret = $facts['receiver']['secret'];
    }

    /** @return array<string, mixed> */
    public function call(string $method, string $path, ?array $body = null): array
    {
        return $this->request($method, $this->url . $path, $body);
    }

    /** @return array{id: string, token: string, number: string} */
    public function createInstance(): array
    {
        return $this->call('POST', '/instances');
    }

    public function createPhone(string $name): string
    {
        return $this->call('POST', '/phones', ['name' => $name])['number'];
    }

    public function write(string $from, string $to, string $text): string
    {
        $message = ['from' => $from, 'to' => $to, 'text' => $text];
        return $this->request('POST', "$this->simulator/messages", $message)['id'];
    }

    /** @return list<string> */
    public function readTexts(string $number): array
    {
        $inbox = $this->request('GET', "$this->simulator/phones/$number/inbox");
        return array_column($inbox['messages'], 'text');
    }

    public function forwardTo(?string $program, array $instance): void
    {
        $this->call('POST', '/receiver', ['forwardTo' => $program, 'instance' => $instance['id']]);
    }

    /** @return array{judgement: array<string, int>, received: list<array<string, mixed>>} */
    public function received(array $instance): array
    {
        return $this->call('GET', "/receiver?instance={$instance['id']}");
    }

    /** @return array<string, mixed> */
    public function play(string $story, array $instance): array
    {
        return $this->call('POST', '/stories', ['story' => $story, 'instance' => $instance['id']]);
    }

    public static function waitUntil(callable $condition, float $seconds = 60): void
    {
        $ends = microtime(true) + $seconds;
        while (!$condition()) {
            if (microtime(true) > $ends) {
                throw new RuntimeException('waited in vain');
            }
            usleep(50_000);
        }
    }

    /** @return array<string, mixed> */
    private function request(string $method, string $url, ?array $body = null): array
    {
        $http = ['method' => $method, 'timeout' => 300, 'header' => 'content-type: application/json'];
        $context = stream_context_create(['http' => $http + ['content' => $body ? json_encode($body) : '']]);
        return json_decode(file_get_contents($url, false, $context), true, flags: JSON_THROW_ON_ERROR);
    }
}
