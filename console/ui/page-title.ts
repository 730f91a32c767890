// The title of the page in its tab: what it shows, and before it how many messages are unread.

import { useEffect } from 'preact/hooks'
import { formatNumber } from '../formats.ts'

const shown: { title: string; ofPage?: number | undefined; ofAll?: number | undefined } = { title: '' }

/** For whoever has the page in another tab. */
function showTitle(): void {
  const unread = shown.ofAll ?? shown.ofPage ?? 0
  document.title = unread > 0 ? `(${formatNumber(unread)}) ${shown.title}` : shown.title
}

/** Empty: another part of the page sets it. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    if (!title) return
    shown.title = title
    showTitle()
  }, [title])
}

/** \`ofPage\`: of the open instance. \`ofAll\`: of all, where they are counted; they then stand in its place. */
export function useUnreadTitle(unread: number | undefined, of: 'ofPage' | 'ofAll'): void {
  useEffect(() => {
    shown[of] = unread
    showTitle()
    return () => {
      shown[of] = undefined
      showTitle()
    }
  }, [unread, of])
}
