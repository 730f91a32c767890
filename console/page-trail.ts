// Turns the pages of a list whose cursor stands in the address: forward by the next cursor, and back by those that the browser
// keeps with each step of its history, over a reload too.

import { useRouteQuery } from './hash-route.ts'

/** `name`: of the cursor in the address. `pageRows`: rows of a full page. */
export function usePageTrail(name: 'after' | 'before', pageRows: number) {
  const { query, setQuery } = useRouteQuery()
  const cursor = query[name] ?? ''
  const from = Math.max(1, Number(query.from) || 1)
  const trail = cursor ? readTrail() : []
  return {
    /** The number of the first row. */
    from,
    turnForward: (next: string, shownRows: number) =>
      setQuery({ [name]: next, from: String(from + shownRows) }, { state: { trail: [...trail, cursor] } }),
    /** An address from elsewhere goes back to the first page. Undefined on the first page. */
    turnBack: cursor
      ? () => {
          const previous = trail.at(-1)
          setQuery(
            { [name]: previous, from: previous ? String(from - pageRows) : '' },
            { state: { trail: trail.slice(0, -1) } },
          )
        }
      : undefined,
  }
}

/** The cursor of each page before, that of the first is empty. */
function readTrail(): string[] {
  const { trail } = (history.state ?? {}) as { trail?: string[] }
  return trail ?? []
}
