// The title of the page in its tab: what it shows, and before it how many messages are unread.

import { useEffect } from 'preact/hooks'
import { formatNumber } from '../formats.ts'

/** Empty: another part of the page sets it. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    if (title) document.title = title
  }, [title])
}

/** For whoever has the page in another tab. */
export function useUnreadTitle(unread: number): void {
  useEffect(() => {
    if (unread > 0) document.title = `(${formatNumber(unread)}) ${document.title}`
    return () => {
      document.title = document.title.replace(/^\(\S+\) /, '')
    }
  }, [unread])
}
