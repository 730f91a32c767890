<?php

declare(strict_types=1);

namespace Msgnet\Gateway\Tests;

/** What a test checks with. */
abstract class TestCase
{
    protected function assertSame(mixed $expected, mixed $actual, string $about = ''): void
    {
        if ($expected !== $actual) {
            throw new \LogicException("$about: " . var_export($actual, true) . ' is not ' . var_export($expected, true));
        }
    }

    /**
     * @template T of \Throwable
     * @param class-string<T> $class
     * @return T
     */
    protected function catch(string $class, callable $call): \Throwable
    {
        try {
            $call();
        } catch (\Throwable $error) {
            $this->assertSame($class, $error::class, $error->getMessage());
            return $error;
        }
        throw new \LogicException("nothing was thrown, but $class was expected");
    }
}
