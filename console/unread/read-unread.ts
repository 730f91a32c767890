// Asks the instances which of their chats wait to be read, and again only those where an event has come meanwhile.

import type { ChatRecord } from '@msgnet/shared/contract/responses/chat-responses.ts'
import type { Session } from '../console-session.ts'
import { isAbsenceError } from '../gateway-watch.ts'

export interface InstanceUnread {
  id: string
  name: string
  /** Of the newest event: where it is the same, nothing new has come. */
  mark: string
  askedAt: number
  /** The newest that wait. */
  chats: readonly ChatRecord[]
  /** How many chats wait. */
  total: number
  /** Why they could not be asked for. */
  error?: unknown
}

export interface Unread {
  /** Those that were asked, by their id. */
  instances: Map<string, InstanceUnread>
  /** Of more instances than these the newest are asked. */
  connected: number
}

const MAX_INSTANCES = 50
const MAX_CHATS = 20
const PARALLEL = 4
/** What was read on the phone is no event. */
const MAX_AGE_MS = 30_000

/** `before`: what is known. */
export async function readUnread(session: Session, before: Unread | undefined): Promise<Unread> {
  const { sources, connected } = await listSources(session)
  const instances = new Map<string, InstanceUnread>()
  const askNext = async (queue: IterableIterator<Source>) => {
    for (const source of queue)
      instances.set(source.id, await askInstance(session, source, before?.instances.get(source.id)))
  }
  const queue = sources.values()
  await Promise.all(Array.from({ length: PARALLEL }, () => askNext(queue)))
  return { instances, connected }
}

type Source = Pick<InstanceUnread, 'id' | 'name' | 'mark'>

/** The connected instances, those with the newest events first. */
async function listSources({ admin, only = '', getClient }: Session) {
  if (admin) {
    const { instances, total } = await admin.instances.search({
      state: 'connected',
      sort: '-lastEvent',
      limit: MAX_INSTANCES,
    })
    return {
      sources: instances.map(({ id, name, lastEventAt }): Source => ({ id, name, mark: lastEventAt })),
      connected: total,
    }
  }
  const client = getClient(only)
  const [state, page] = await Promise.all([client?.status(), client?.events({ limit: 1, payload: false })])
  const mark = String(page?.events[0]?.seq)
  return { sources: [{ id: only, name: state?.instance.name ?? '', mark }], connected: 1 }
}

async function askInstance(
  session: Session,
  source: Source,
  known: InstanceUnread | undefined,
): Promise<InstanceUnread> {
  const now = Date.now()
  const isKnown = known?.mark === source.mark && known.error === undefined
  if (isKnown && (known.total === 0 || now - known.askedAt < MAX_AGE_MS)) return known
  try {
    const page = await session.getClient(source.id)?.findChats({ unread: true, limit: MAX_CHATS })
    return {
      ...source,
      askedAt: now,
      chats: page?.chats ?? [],
      total: page?.pagination.totalRecords ?? 0,
    }
  } catch (error) {
    if (isAbsenceError(error)) throw error
    return { ...source, askedAt: now, chats: known?.chats ?? [], total: known?.total ?? 0, error }
  }
}

export const countMessages = ({ chats }: Pick<InstanceUnread, 'chats'>): number =>
  chats.reduce((sum, { unreadCount }) => sum + unreadCount, 0)

/** The chats of all instances that wait, the newest first. */
export const listWaiting = ({ instances }: Unread) =>
  [...instances.values()]
    .flatMap((instance) => instance.chats.map((chat) => ({ instance, chat })))
    .sort((one, other) => other.chat.lastMessageTimestamp - one.chat.lastMessageTimestamp)
