<?php

// A gateway that gives its answers in their order, and prints each request before it answers.

declare(strict_types=1);

$answers = json_decode($argv[1], true);
$server = stream_socket_server('tcp://127.0.0.1:0');
echo stream_socket_get_name($server, false), "\n";

foreach ($answers as $answer) {
    $socket = stream_socket_accept($server, 60);
    [$method, $path] = explode(' ', (string) fgets($socket));
    $headers = [];
    while (($line = trim((string) fgets($socket))) !== '') {
        [$name, $value] = explode(':', $line, 2);
        $headers[strtolower($name)] = trim($value);
    }
    $length = (int) ($headers['content-length'] ?? 0);
    $text = $length > 0 ? stream_get_contents($socket, $length) : '';
    $chunks = [];
    $isChunked = ($headers['transfer-encoding'] ?? '') === 'chunked';
    while ($isChunked && ($size = hexdec(trim((string) fgets($socket)))) > 0) {
        $chunks[] = stream_get_contents($socket, $size);
        fgets($socket);
    }
    $body = json_decode($text, true);
    echo json_encode(compact('method', 'path', 'headers', 'body', 'text', 'chunks')), "\n";
    if ($answer !== 'broken') {
        $text = $answer['text'] ?? json_encode(isset($answer['error']) ? $answer : (object) ($answer['body'] ?? []));
        $length = strlen($text) + (($answer['cut'] ?? false) ? 9 : 0);
        $after = isset($answer['retryAfter']) ? "retry-after: {$answer['retryAfter']}\r\n" : '';
        $form = "content-length: $length";
        if ($answer['chunked'] ?? false) {
            $form = 'transfer-encoding: chunked';
            $text = implode('', array_map(static fn (string $part) => dechex(strlen($part)) . "\r\n$part\r\n", [...str_split($text, 7), '']));
        }
        $before = $answer['before'] ?? '';
        fwrite($socket, "{$before}HTTP/1.1 {$answer['status']} Answer\r\n$form\r\n$after\r\n$text");
    }
    fclose($socket);
}
