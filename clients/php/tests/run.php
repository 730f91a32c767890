<?php

// Runs every test of this folder, without anything but PHP: `php tests/run.php`, or one class: `php tests/run.php Repeat`.

declare(strict_types=1);

error_reporting(E_ALL);
set_error_handler(static function (int $level, string $message, string $file, int $line): bool {
    // What is silenced by @ is none.
    return (error_reporting() & $level) === 0 ? false : throw new ErrorException($message, 0, $level, $file, $line);
});

require __DIR__ . '/../autoload.php';
require __DIR__ . '/TestCase.php';
require __DIR__ . '/StubGateway.php';

$ran = 0;
$failed = 0;
foreach (glob(__DIR__ . '/' . ($argv[1] ?? '') . '*Test.php') as $file) {
    require $file;
    $class = 'Msgnet\\Gateway\\Tests\\' . basename($file, '.php');
    foreach (get_class_methods($class) as $name) {
        if (!str_starts_with($name, 'test')) {
            continue;
        }
        $ran++;
        try {
            (new $class())->$name();
        } catch (Throwable $error) {
            $failed++;
            echo "$class::$name\n  {$error->getMessage()}\n  {$error->getFile()}:{$error->getLine()}\n";
        }
    }
}
echo "$ran tests, $failed failed\n";
exit($ran === 0 || $failed > 0 ? 1 : 0);
