<?php

declare(strict_types=1);

namespace Msgnet\Gateway;

/**
 * Goes through lists page by page.
 *
 * @internal
 */
final class Pages
{
    /**
     * @param callable(mixed ...): array<mixed> $fetch
     * @param array<string, mixed>|null $request
     * @param string $items The field of a page that has the items.
     * @param string $style How the list names its next page.
     */
    public static function iterate(callable $fetch, ?array $request, string $items, string $style): \Generator
    {
        for (; $request !== null; $request = self::findNext($request, $page, $items, $style)) {
            $page = $fetch(...$request);
            foreach ($page[$items] as $item) {
                yield $item;
            }
        }
    }

    /**
     * @param array<string, mixed> $request
     * @param array<mixed> $page
     * @return array<string, mixed>|null
     */
    private static function findNext(array $request, array $page, string $items, string $style): ?array
    {
        switch ($style) {
            case 'nextOffset':
                return $page['hasMore'] ? ['offset' => $page['nextOffset']] + $request : null;
            case 'cursor':
                return $page['next'] ? ['after' => $page['next']] + $request : null;
            case 'pagination':
                $at = $page['pagination'];
                return $at['hasNextPage'] ? ['offset' => $at['offset'] + $at['limit']] + $request : null;
        }
        // The order is oldest first only after a seq; only an empty page is the last.
        $side = isset($request['afterSeq']) ? 'afterSeq' : 'beforeSeq';
        return $page[$items] === [] ? null : [$side => end($page[$items])['seq']] + $request;
    }
}
