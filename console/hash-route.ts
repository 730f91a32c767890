// The present page, in the part of the address after `#`, which the server never sees. It contains no secrets.

import { useLayoutEffect, useState } from 'preact/hooks'

function readRoute(): string[] {
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
  const [route, setRoute] = useState(readRoute)
  useLayoutEffect(() => {
    const onHashChange = () => setRoute(readRoute())
    addEventListener('hashchange', onHashChange)
    return () => removeEventListener('hashchange', onHashChange)
  }, [])
  return route
}

export const toHash = (...parts: string[]): string => `#/${parts.map(encodeURIComponent).join('/')}`

export function navigateTo(...parts: string[]): void {
  location.hash = toHash(...parts)
}
