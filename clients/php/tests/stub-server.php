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
    $body = json_decode($text, true);
    echo json_encode(compact('method', 'path', 'headers', 'body', 'text')), "\n";
    if ($answer !== 'broken') {
        $text = $answer['text'] ?? json_encode(isset($answer['error']) ? $answer : (object) ($answer['body'] ?? []));
        $length = strlen($text) + (($answer['cut'] ?? false) ? 9 : 0);
        $after = isset($answer['retryAfter']) ? "retry-after: {$answer['retryAfter']}\r\n" : '';
        fwrite($socket, "HTTP/1.1 {$answer['status']} Answer\r\ncontent-length: $length\r\n$after\r\n$text");
    }
    fclose($socket);
}
