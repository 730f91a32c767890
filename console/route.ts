// The present page, in the part of the address after `#`, which the server never sees. It contains no secrets.

import { useLayoutEffect, useState } from 'preact/hooks'

function now(): string[] {
  const parts = location.hash.replace(/^#\/?/, '').split('/').filter(Boolean)
  try {
    return parts.map(decodeURIComponent)
  } catch {
    // An address that is not UTF-8, cut off in a mail for example: the first page.
    return []
  }
}

/** `#/instances/ID/chats` is `['instances', ID, 'chats']`. */
export function useRoute(): string[] {
  const [route, setRoute] = useState(now)
  useLayoutEffect(() => {
    const changed = () => setRoute(now())
    addEventListener('hashchange', changed)
    return () => removeEventListener('hashchange', changed)
  }, [])
  return route
}

export const at = (...parts: string[]): string => `#/${parts.map(encodeURIComponent).join('/')}`

export function go(...parts: string[]): void {
  location.hash = at(...parts)
}
