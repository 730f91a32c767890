// A list of thousands of rows of one height, which draws only the visible ones.

import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

interface Props<Item> {
  items: readonly Item[]
  rowHeight: number
  label: string
  getKey: (item: Item) => string
  renderRow: (item: Item) => ComponentChildren
  /** Called when the last rows come into sight, again whenever there are more. */
  onEnd?: (() => unknown) | undefined
}

const MARGIN_ROWS = 6

export function VirtualList<Item>({ items, rowHeight, label, getKey, renderRow, onEnd }: Props<Item>) {
  const place = useRef<HTMLDivElement>(null)
  const [viewport, setViewport] = useState({ top: 0, height: 600 })
  useEffect(() => {
    const element = place.current
    if (!element) return
    const readViewport = () => setViewport({ top: element.scrollTop, height: element.clientHeight })
    const watcher = new ResizeObserver(readViewport)
    watcher.observe(element)
    element.addEventListener('scroll', readViewport, { passive: true })
    return () => {
      watcher.disconnect()
      element.removeEventListener('scroll', readViewport)
    }
  }, [])
  const first = Math.max(0, Math.floor(viewport.top / rowHeight) - MARGIN_ROWS)
  const last = Math.min(items.length, Math.ceil((viewport.top + viewport.height) / rowHeight) + MARGIN_ROWS)
  const shown = items.slice(first, last)
  useHeldPlace(place, items, rowHeight, getKey)
  const isAtEnd = last >= items.length
  useEffect(() => {
    if (isAtEnd) onEnd?.()
  }, [isAtEnd, items.length])
  return (
    <section
      class="scroller"
      ref={place}
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard.
      tabIndex={0}
      style={{ maxHeight: `min(${Math.max(items.length, 1) * rowHeight}px, 74vh)` }}
    >
      <ul class="tall" style={{ height: `${items.length * rowHeight}px` }}>
        {shown.map((item, index) => (
          <li
            class="at"
            key={getKey(item)}
            aria-setsize={items.length}
            aria-posinset={first + index + 1}
            style={{ top: `${(first + index) * rowHeight}px` }}
          >
            {renderRow(item)}
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Rows that are added above what is read do not move it; at the top the new ones are shown. */
function useHeldPlace<Item>(
  place: { current: HTMLElement | null },
  items: readonly Item[],
  rowHeight: number,
  getKey: (item: Item) => string,
): void {
  const top = useRef<string | undefined>(undefined)
  useLayoutEffect(() => {
    const element = place.current
    if (!element) return
    const row = Math.floor(element.scrollTop / rowHeight)
    const held = top.current
    const now = held === undefined || row === 0 ? -1 : items.findIndex((item) => getKey(item) === held)
    if (now >= 0 && now !== row) element.scrollTop += (now - row) * rowHeight
  }, [items])
  useEffect(() => {
    const element = place.current
    if (!element) return
    const noteTop = () => {
      const item = items[Math.floor(element.scrollTop / rowHeight)]
      top.current = item && getKey(item)
    }
    noteTop()
    element.addEventListener('scroll', noteTop, { passive: true })
    return () => element.removeEventListener('scroll', noteTop)
  }, [items, rowHeight])
}
