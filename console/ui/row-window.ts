// Which rows of a long list are drawn when each has a height of its own, and where the reader is in it: at its end, or at a row.

import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

/** What a row takes until it was drawn once. */
const ESTIMATED_HEIGHT = 64
/** Pixels above and below what is seen that are drawn too. */
const MARGIN = 700
/** Once less than this is left of the margin, other rows are drawn. */
const MIN_MARGIN = 250
/** A browser rounds where it scrolls to. */
const ROUNDING = 2

/** A row, and how far its end is below the top of what is seen: its beginning may change, as a day above it is not needed any more. */
interface Anchor {
  key: string
  bottom: number
}

interface Range {
  first: number
  last: number
}

export class RowWindow {
  #heights = new Map<string, number>()
  #keys: readonly string[] = []
  #indexes = new Map<string, number>()
  /** Where each row begins; one more than there are rows. */
  #starts: number[] = [0]
  /** Undefined while the reader is at the end. */
  #anchor: Anchor | undefined
  /** Where the list was scrolled to when the place was last read or restored. */
  #scrollTop = 0
  #viewportHeight = 800

  get isAtEnd(): boolean {
    return this.#anchor === undefined
  }

  /** The first row that is seen. */
  get topKey(): string | undefined {
    return this.#anchor?.key
  }

  setKeys(keys: readonly string[]): void {
    if (keys === this.#keys) return
    this.#keys = keys
    this.#indexes = new Map(keys.map((key, index) => [key, index]))
    for (const key of this.#heights.keys()) if (!this.#indexes.has(key)) this.#heights.delete(key)
    if (this.#anchor && !this.#indexes.has(this.#anchor.key)) this.#anchor = undefined
    this.#sumHeights()
  }

  /** The rows that are drawn, and the pixels that stand for those before and after. */
  findRange(margin = MARGIN): Range & { before: number; after: number } {
    const top = this.#findTop()
    const first = this.#findRow(top - margin)
    const last = Math.min(this.#keys.length, this.#findRow(top + this.#viewportHeight + margin) + 1)
    const total = this.#starts.at(-1) ?? 0
    return { first, last, before: this.#starts[first] ?? 0, after: total - (this.#starts[last] ?? total) }
  }

  isCovering({ first, last }: Range): boolean {
    const needed = this.findRange(MIN_MARGIN)
    return first <= needed.first && last >= needed.last
  }

  moveToEnd(): void {
    this.#anchor = undefined
  }

  moveToRow(key: string, top: number): void {
    const height = this.#heights.get(key) ?? ESTIMATED_HEIGHT
    if (this.#indexes.has(key)) this.#anchor = { key, bottom: top + height }
  }

  measureRows(rows: readonly HTMLElement[]): void {
    let hasChanged = false
    for (const row of rows) {
      const { height } = row.getBoundingClientRect()
      const key = row.dataset.key ?? ''
      if (Math.abs((this.#heights.get(key) ?? -1) - height) < 0.5) continue
      this.#heights.set(key, height)
      hasChanged = true
    }
    if (hasChanged) this.#sumHeights()
  }

  /** The reader may have scrolled. `canStay`: at the end what arrives is shown. */
  readPlace(place: HTMLElement, rows: readonly HTMLElement[], canStay: boolean): void {
    // The browser reports our own scroll a frame later: what has grown meanwhile took nobody from the end.
    if (place.scrollTop === this.#scrollTop) return
    this.#scrollTop = place.scrollTop
    this.#viewportHeight = place.clientHeight
    const isAtBottom = place.scrollHeight - place.scrollTop - place.clientHeight <= ROUNDING
    if (isAtBottom && canStay) {
      this.moveToEnd()
      return
    }
    const edge = place.getBoundingClientRect().top
    const seen = rows.find((row) => row.getBoundingClientRect().bottom > edge + 1)
    const { top = 0, bottom = 0 } = seen?.getBoundingClientRect() ?? {}
    if (seen && top - edge < place.clientHeight) {
      this.#anchor = { key: seen.dataset.key ?? '', bottom: bottom - edge }
      return
    }
    // Far away, where nothing is drawn yet.
    const index = this.#findRow(place.scrollTop)
    const key = this.#keys[index]
    this.#anchor =
      key === undefined ? undefined : { key, bottom: (this.#starts[index + 1] ?? 0) - place.scrollTop }
  }

  /** Scrolls so that the reader is where they were, whatever was added, removed or has grown. */
  restorePlace(place: HTMLElement, rows: readonly HTMLElement[]): void {
    this.#viewportHeight = place.clientHeight
    const moved = this.#measureMove(place, rows)
    if (Math.abs(moved) >= 1) place.scrollTop += moved
    this.#scrollTop = place.scrollTop
  }

  /** How far the rows have moved down from where the reader has them, in pixels. */
  #measureMove(place: HTMLElement, rows: readonly HTMLElement[]): number {
    const anchor = this.#anchor
    if (!anchor) return place.scrollHeight - place.clientHeight - place.scrollTop
    const row = rows.find(({ dataset }) => dataset.key === anchor.key)
    if (!row) return 0
    return row.getBoundingClientRect().bottom - place.getBoundingClientRect().top - anchor.bottom
  }

  #sumHeights(): void {
    let sum = 0
    this.#starts = [0]
    for (const key of this.#keys) {
      sum += this.#heights.get(key) ?? ESTIMATED_HEIGHT
      this.#starts.push(sum)
    }
  }

  #findTop(): number {
    const index = this.#anchor && this.#indexes.get(this.#anchor.key)
    if (this.#anchor && index !== undefined) return (this.#starts[index + 1] ?? 0) - this.#anchor.bottom
    return (this.#starts.at(-1) ?? 0) - this.#viewportHeight
  }

  /** The row at this distance from the start of the list. */
  #findRow(distance: number): number {
    let low = 0
    let high = Math.max(0, this.#keys.length - 1)
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((this.#starts[middle] ?? 0) <= distance) low = middle
      else high = middle - 1
    }
    return low
  }
}

interface Options {
  keys: readonly string[]
  /** Whether the list's end is the end of all there is. */
  isComplete: boolean
  /** Called after the reader has scrolled, and after each change of what is drawn. */
  onMove: (view: RowView) => void
}

/** What the reader sees: rows `first` to before `last`. */
export interface RowView extends Range {
  topKey: string | undefined
  isAtEnd: boolean
}

const listRows = (content: HTMLElement): HTMLElement[] => [
  ...content.querySelectorAll<HTMLElement>(':scope > [data-key]'),
]

/** `place` scrolls, and `content` within it has the drawn rows as its children, each with its key as `data-key`. */
export function useRowWindow({ keys, isComplete, onMove }: Options) {
  const [rowWindow] = useState(() => new RowWindow())
  const [, redraw] = useState(0)
  const place = useRef<HTMLDivElement>(null)
  const content = useRef<HTMLDivElement>(null)
  rowWindow.setKeys(keys)
  const range = rowWindow.findRange()
  const latest = useRef({ range, isComplete, onMove })
  latest.current = { range, isComplete, onMove }
  const redrawIfNeeded = () => {
    if (!rowWindow.isCovering(latest.current.range)) redraw((times) => times + 1)
    const { topKey, isAtEnd } = rowWindow
    latest.current.onMove({ ...rowWindow.findRange(0), topKey, isAtEnd })
  }
  const restorePlace = () => {
    if (!place.current || !content.current) return
    const rows = listRows(content.current)
    rowWindow.measureRows(rows)
    rowWindow.restorePlace(place.current, rows)
    redrawIfNeeded()
  }
  useLayoutEffect(restorePlace)
  const restore = useRef(restorePlace)
  restore.current = restorePlace
  useEffect(() => {
    const element = place.current
    if (!element || !content.current) return
    const rows = content.current
    const readPlace = () => {
      rowWindow.readPlace(element, listRows(rows), latest.current.isComplete)
      redrawIfNeeded()
    }
    // A picture that has loaded is higher than its place was.
    const watcher = new ResizeObserver(() => restore.current())
    watcher.observe(element)
    watcher.observe(rows)
    element.addEventListener('scroll', readPlace, { passive: true })
    return () => {
      watcher.disconnect()
      element.removeEventListener('scroll', readPlace)
    }
  }, [])
  const move = (change: () => void) => {
    change()
    redraw((times) => times + 1)
  }
  return {
    place,
    content,
    ...range,
    moveToEnd: () => move(() => rowWindow.moveToEnd()),
    moveToRow: (key: string, top: number) => move(() => rowWindow.moveToRow(key, top)),
  }
}
