// The keys of the console. They do nothing while a dialog is open, and letters stay letters while a text is written.

import { useEffect, useState } from 'preact/hooks'
import { navigateTo } from '../hash-route.ts'

export type KeyDialog = 'palette' | 'keys'

/** After a “g”. */
export const PAGE_KEYS = { o: 'overview', n: 'inbox', i: 'instances', h: 'health' } as const
/** As long a “g” waits for its second letter. */
const SECOND_KEY_MS = 1500

export function useShortcuts() {
  const [shown, show] = useState<KeyDialog>()
  useEffect(() => {
    let startedAt = 0
    const onKeyDown = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey } = event
      const isPalette = (ctrlKey || metaKey) && key.toLowerCase() === 'k'
      // What is filled in there would be lost.
      if (document.querySelector('dialog[open]')) return
      if (isPalette) {
        event.preventDefault()
        show('palette')
        return
      }
      const step = altKey && { ArrowDown: 1, ArrowUp: -1 }[key]
      if (ctrlKey || metaKey || isFor(event.target, step ? 'select' : 'input, textarea, select')) return
      const isSecond = event.timeStamp - startedAt < SECOND_KEY_MS
      startedAt = key === 'g' ? event.timeStamp : 0
      if (step) openChat(step)
      else if (key === '?') show('keys')
      else if (key === '/') focusSearch()
      else if (isSecond && key in PAGE_KEYS) navigateTo(PAGE_KEYS[key as keyof typeof PAGE_KEYS])
      else return
      event.preventDefault()
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [])
  return { shown, show }
}

const isFor = (target: EventTarget | null, fields: string): boolean =>
  target instanceof Element && target.closest(fields) !== null

const focusSearch = (): void => document.querySelector<HTMLElement>('main input[type=search]')?.focus()

/** The next of the list, or the one before; the first where none is open. */
function openChat(step: number): void {
  const chats = [...document.querySelectorAll<HTMLAnchorElement>('a.chat')]
  const open = chats.findIndex((chat) => chat.ariaCurrent === 'true')
  chats[open < 0 ? 0 : open + step]?.click()
}
