// The present page and its filters, in the part of the address after `#`, which the server never sees. It contains no secrets.

import { useLayoutEffect, useState } from 'preact/hooks'

export type RouteQuery = Readonly<Record<string, string>>

/** `#/instances/ID/deliveries?status=dead` in its two parts. */
function splitHash(): { path: string; search: string } {
  const [path = '', ...rest] = location.hash.replace(/^#\/?/, '').split('?')
  return { path, search: rest.join('?') }
}

function readRoute(): string[] {
  const parts = splitHash().path.split('/').filter(Boolean)
  try {
    return parts.map(decodeURIComponent)
  } catch {
    // An address that is not UTF-8, cut off in a mail for example: the first page.
    return []
  }
}

const readQuery = (): RouteQuery => Object.fromEntries(new URLSearchParams(splitHash().search))

function useHash<Value>(read: () => Value): Value {
  const [value, setValue] = useState(read)
  useLayoutEffect(() => {
    const onHashChange = () => setValue(() => read())
    addEventListener('hashchange', onHashChange)
    return () => removeEventListener('hashchange', onHashChange)
  }, [])
  return value
}

/** `#/instances/ID/chats` is `['instances', ID, 'chats']`. */
export const useRoute = (): string[] => useHash(readRoute)

interface Step {
  /** Adds no step for the back button, as while typing. */
  replace?: boolean
  /** The browser keeps it with the step, over a reload too. */
  state?: object
}

/** What stands behind `?`, and a way to change it. */
export function useRouteQuery() {
  const query = useHash(readQuery)
  const toChangedHash = (changes: Record<string, string | undefined>) =>
    toQueryHash(readRoute(), { ...readQuery(), ...changes })
  const setQuery = (changes: Record<string, string | undefined>, { replace = false, state }: Step = {}) => {
    const hash = toChangedHash(changes)
    if (!replace && !state) {
      location.hash = hash
      return
    }
    if (replace) history.replaceState(state ?? history.state, '', hash)
    else history.pushState(state, '', hash)
    dispatchEvent(new HashChangeEvent('hashchange'))
  }
  return { query, setQuery, toChangedHash }
}

export const toHash = (...parts: string[]): string => `#/${parts.map(encodeURIComponent).join('/')}`

/** Values that are empty or undefined are left out. */
export function toQueryHash(parts: readonly string[], query: Record<string, string | undefined>): string {
  const filled = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]))
  const search = new URLSearchParams(filled).toString()
  return toHash(...parts) + (search && `?${search}`)
}

export function navigateTo(...parts: string[]): void {
  location.hash = toHash(...parts)
}
