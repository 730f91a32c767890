// The socket of one host. What must outlive the object's memory is attached to the socket.

import {
  type Assignment,
  CLOSE_REPLACED,
  type EdgeFrame,
  INSTANCES_A_FRAME,
} from '../../shared/wire/frames.ts'
import { type HostSocket, SOCKET_OPEN } from '../runtime.ts'

/** At most 2 KiB, kept by the runtime while the object sleeps. */
export interface Attached {
  host: string
  /** Digest of the token that it was opened with. */
  tokenHash: string
  /** `boot` of the process that sent `hello`; empty before. */
  boot: string
  /** When links of other processes of this host were replaced lately, and when that was last logged. */
  displacedAt: number[]
  alarmedAt: number
  /** Its `hello` was answered: acts may be handed to it. */
  welcomed: boolean
  /** Replaced or closed. The runtime may still list the socket for a while. */
  over: boolean
  /** When it last sent a frame that renews its lease, in milliseconds. */
  heardAt: number
}

export const unheard = (host: string, tokenHash: string): Attached => ({
  ...{ host, tokenHash, boot: '', displacedAt: [], alarmedAt: 0 },
  ...{ welcomed: false, over: false, heardAt: Date.now() },
})

/** A cache of the attachments, which each frame reads several times. After hibernation they are read from the socket. */
const known = new WeakMap<HostSocket, Attached>()

export function attached(socket: HostSocket): Attached {
  const before = known.get(socket)
  if (before) return before
  const read = socket.deserializeAttachment() as Attached
  known.set(socket, read)
  return read
}

export function attach(socket: HostSocket, change: Partial<Attached>): void {
  const next = { ...attached(socket), ...change }
  socket.serializeAttachment(next)
  known.set(socket, next)
}

/** Returns false when the socket is gone. */
export function send(socket: HostSocket, frames: EdgeFrame[]): boolean {
  if (frames.length === 0) return true
  try {
    socket.send(JSON.stringify(frames))
    return true
  } catch {
    return false
  }
}

export function hangUp(socket: HostSocket, code: number, reason: string): void {
  attach(socket, { over: true })
  try {
    socket.close(code, reason)
  } catch {
    // It was closed already.
  }
}

export const isCurrent = (socket: HostSocket): boolean =>
  !attached(socket).over && socket.readyState === SOCKET_OPEN

/** The one welcomed socket, which acts are sent to, if there is any. */
export const currentOf = (sockets: HostSocket[]): HostSocket | undefined =>
  sockets.find((socket) => isCurrent(socket) && attached(socket).welcomed)

/** Closes all others. Returns the attachments of those that had been welcomed. */
export function replaceOthers(sockets: HostSocket[], kept: HostSocket): Attached[] {
  const others = sockets.filter((socket) => socket !== kept && !attached(socket).over)
  const known = others.map(attached).filter(({ welcomed }) => welcomed)
  for (const socket of others) hangUp(socket, CLOSE_REPLACED, 'a newer link took over')
  return known
}

/** As many frames as the instances need, because a frame has a size limit. */
export const holdFrames = (assignments: Assignment[]): EdgeFrame[] =>
  inParts(assignments).map((some) => ({
    t: 'hold',
    sessions: some.map(({ instance, epoch, kind, jid }) => ({ instance, epoch, kind, ...(jid && { jid }) })),
  }))

export const releaseFrames = (instances: string[]): EdgeFrame[] =>
  inParts(instances).map((some) => ({ t: 'release', instances: some }))

export const yieldFrames = (instances: string[]): EdgeFrame[] =>
  inParts(instances).map((some) => ({ t: 'yield', instances: some }))

const inParts = <Item>(items: Item[]): Item[][] =>
  Array.from({ length: Math.ceil(items.length / INSTANCES_A_FRAME) }, (_, at) =>
    items.slice(at * INSTANCES_A_FRAME, (at + 1) * INSTANCES_A_FRAME),
  )
