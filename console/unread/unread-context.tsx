// The messages that wait at all instances, for every page that counts them. Asked for once the inbox was opened, because a look at chats has an entry in the audit log.

import { type ComponentChildren, createContext } from 'preact'
import { useContext, useEffect, useRef, useState } from 'preact/hooks'
import type { Session } from '../console-session.ts'
import { formatNumber } from '../formats.ts'
import { texts } from '../texts.ts'
import { useUnreadTitle } from '../ui/page-title.ts'
import { useLoad } from '../ui/use-load.ts'
import { notifyOfNew, readNotifyOption } from './notifications.ts'
import { countMessages, type InstanceUnread, readUnread, type Unread } from './read-unread.ts'

const RELOAD_MS = 5000
const HIDDEN_RELOAD_MS = 10_000
/** Of this tab; it ends with the sign-out. */
const STORAGE_KEY = 'msgnet-gateway.unread'

const UnreadContext = createContext<UnreadState>({
  refresh: () => Promise.resolve(),
  start: () => undefined,
})

interface UnreadState {
  value?: Unread | undefined
  error?: unknown
  /** Asks this instance again: what was read here is no event. */
  refresh: (id: string) => Promise<void>
  /** From now on, in this tab. */
  start: () => void
}

export const useUnread = () => useContext(UnreadContext)

export function UnreadProvider({ session, children }: { session: Session; children: ComponentChildren }) {
  const [isOn, setOn] = useState(() => session.canOperate && (readStarted() || readNotifyOption()))
  const known = useRef<Unread | undefined>(undefined)
  const { value, error, reload } = useLoad(
    async () => {
      if (!isOn) return undefined
      const before = known.current
      known.current = await readUnread(session, before)
      if (before) notifyOfNew(before, known.current)
      return known.current
    },
    [isOn, session.adminToken, session.token],
    isOn ? RELOAD_MS : 0,
  )
  // A hidden page asks for nothing, unless its user wants to be notified.
  useEffect(() => {
    const timer = setInterval(() => {
      if (isOn && document.hidden && readNotifyOption()) void reload()
    }, HIDDEN_RELOAD_MS)
    return () => clearInterval(timer)
  }, [isOn])
  useUnreadTitle(value && countAll(listInstances(value)), 'ofAll')
  const refresh = (id: string) => {
    const before = known.current?.instances.get(id)
    if (before) known.current?.instances.set(id, { ...before, mark: '' })
    return reload()
  }
  const start = () => {
    storeStarted()
    setOn(true)
    if (isOn) void reload()
  }
  return <UnreadContext.Provider value={{ value, error, refresh, start }}>{children}</UnreadContext.Provider>
}

const listInstances = ({ instances }: Unread): InstanceUnread[] => [...instances.values()]
const countAll = (instances: readonly InstanceUnread[]): number =>
  instances.reduce((sum, each) => sum + countMessages(each), 0)

/** Of one instance, or of all. Nothing while nothing waits, or while nobody has asked. */
export function UnreadCount({ instance }: { instance?: string }) {
  const { value } = useUnread()
  const counted = value
    ? listInstances(value).filter(({ id }) => instance === undefined || id === instance)
    : []
  const count = countAll(counted)
  if (count === 0) return null
  return (
    <span class="unread count" title={texts.conversation.unread(count)}>
      {formatUnread(counted)}
    </span>
  )
}

/** With a plus where more chats wait than were asked for. */
export const formatUnread = (instances: readonly InstanceUnread[]): string =>
  `${formatNumber(countAll(instances))}${instances.some(({ chats, total }) => total > chats.length) ? '+' : ''}`

function readStarted(): boolean {
  try {
    return sessionStorage.getItem(STORAGE_KEY) === 'on'
  } catch {
    // The browser has no storage: then the inbox starts it each time.
    return false
  }
}

function storeStarted(): void {
  try {
    sessionStorage.setItem(STORAGE_KEY, 'on')
  } catch {
    // It holds until the page is loaded again.
  }
}
