<?php

// In place of PHPUnit, where a machine has none: as much of its TestCase and its command as the example for it needs.

declare(strict_types=1);

namespace PHPUnit\Framework;

error_reporting(E_ALL);

abstract class TestCase
{
    public static function setUpBeforeClass(): void
    {
    }

    protected function setUp(): void
    {
    }

    protected function tearDown(): void
    {
    }

    public static function assertSame(mixed $expected, mixed $actual): void
    {
        if ($expected !== $actual) {
            throw new \LogicException(var_export($actual, true) . ' is not ' . var_export($expected, true));
        }
    }

    final public function runTest(string $name): void
    {
        $this->setUp();
        try {
            $this->$name();
        } finally {
            $this->tearDown();
        }
    }
}

[, $file] = $argv;
require $file;
$class = basename($file, '.php');
$class::setUpBeforeClass();
$names = array_filter(get_class_methods($class), fn (string $name) => preg_match('/^test[A-Z]/', $name));
foreach ($names as $name) {
    (new $class())->runTest($name);
}
echo 'OK (' . count($names) . " tests)\n";
