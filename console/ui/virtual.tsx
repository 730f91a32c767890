// A list of thousands of rows of one height, which draws only the visible ones.

import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

interface Props<Item> {
  items: readonly Item[]
  rowHeight: number
  label: string
  keyOf: (item: Item) => string
  row: (item: Item) => ComponentChildren
}

const BESIDE = 6

export function VirtualList<Item>({ items, rowHeight, label, keyOf, row }: Props<Item>) {
  const place = useRef<HTMLDivElement>(null)
  const [seen, setSeen] = useState({ top: 0, height: 600 })
  useEffect(() => {
    const element = place.current
    if (!element) return
    const look = () => setSeen({ top: element.scrollTop, height: element.clientHeight })
    const watcher = new ResizeObserver(look)
    watcher.observe(element)
    element.addEventListener('scroll', look, { passive: true })
    return () => {
      watcher.disconnect()
      element.removeEventListener('scroll', look)
    }
  }, [])
  const first = Math.max(0, Math.floor(seen.top / rowHeight) - BESIDE)
  const last = Math.min(items.length, Math.ceil((seen.top + seen.height) / rowHeight) + BESIDE)
  const shown = items.slice(first, last)
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
            key={keyOf(item)}
            aria-setsize={items.length}
            aria-posinset={first + index + 1}
            style={{ top: `${(first + index) * rowHeight}px` }}
          >
            {row(item)}
          </li>
        ))}
      </ul>
    </section>
  )
}
