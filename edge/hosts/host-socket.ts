// The socket of one host. What must outlive the object's memory is attached to the socket.

import {
  type Assignment,
  CLOSE_REPLACED,
  type EdgeFrame,
  MAX_INSTANCES_PER_FRAME,
} from '@msgnet/shared/wire/link-frames.ts'
import { type HostSocket, SOCKET_OPEN } from '../runtime/runtime.ts'

/** At most 2 KiB, stored by the runtime while the object sleeps. */
export interface Attachment {
  host: string
  /** Digest of the token that it was opened with. */
  tokenHash: string
  /** `boot` of the process that sent `hello`; empty before. */
  boot: string
  /** When links of other processes of this host were replaced recently, and when that was last logged. */
  displacedAt: number[]
  alarmedAt: number
  /** Its `hello` was answered: acts may be sent to it. */
  welcomed: boolean
  /** Replaced or closed. The runtime may still list the socket for a while. */
  over: boolean
  /** It keeps acts to the chats that they name. */
  keepsToChats: boolean
  /** When it last sent a frame that renews its lease, in milliseconds. */
  receivedAt: number
}

export const createAttachment = (host: string, tokenHash: string): Attachment => ({
  host,
  tokenHash,
  boot: '',
  displacedAt: [],
  alarmedAt: 0,
  welcomed: false,
  over: false,
  keepsToChats: false,
  receivedAt: Date.now(),
})

/** A cache of the attachments, which each frame reads several times. After hibernation they are read from the socket. */
const attachments = new WeakMap<HostSocket, Attachment>()

export function readAttachment(socket: HostSocket): Attachment {
  const before = attachments.get(socket)
  if (before) return before
  const read = socket.deserializeAttachment() as Attachment
  attachments.set(socket, read)
  return read
}

export function changeAttachment(socket: HostSocket, change: Partial<Attachment>): void {
  const next = { ...readAttachment(socket), ...change }
  socket.serializeAttachment(next)
  attachments.set(socket, next)
}

/** Returns false when the socket is gone. */
export function sendFrames(socket: HostSocket, frames: EdgeFrame[]): boolean {
  if (frames.length === 0) return true
  try {
    socket.send(JSON.stringify(frames))
    return true
  } catch {
    return false
  }
}

export function closeSocket(socket: HostSocket, code: number, reason: string): void {
  changeAttachment(socket, { over: true })
  try {
    socket.close(code, reason)
  } catch {
    // It was closed already.
  }
}

export const isCurrent = (socket: HostSocket): boolean =>
  !readAttachment(socket).over && socket.readyState === SOCKET_OPEN

/** The one welcomed socket, which acts are sent to, if there is any. */
export const findCurrent = (sockets: HostSocket[]): HostSocket | undefined =>
  sockets.find((socket) => isCurrent(socket) && readAttachment(socket).welcomed)

/** Closes all others. Returns the attachments of those that had been welcomed. */
export function replaceOthers(sockets: HostSocket[], current: HostSocket): Attachment[] {
  const others = sockets.filter((socket) => socket !== current && !readAttachment(socket).over)
  const replaced = others.map(readAttachment).filter(({ welcomed }) => welcomed)
  for (const socket of others) closeSocket(socket, CLOSE_REPLACED, 'a newer link took over')
  return replaced
}

/** As many frames as the instances need, because a frame has a size limit. */
export const buildHoldFrames = (assignments: Assignment[]): EdgeFrame[] =>
  splitInParts(assignments).map((some) => ({
    t: 'hold',
    sessions: some.map(({ instance, epoch, kind, jid }) => ({ instance, epoch, kind, ...(jid && { jid }) })),
  }))

export const buildReleaseFrames = (instances: string[]): EdgeFrame[] =>
  splitInParts(instances).map((some) => ({ t: 'release', instances: some }))

export const buildYieldFrames = (instances: string[]): EdgeFrame[] =>
  splitInParts(instances).map((some) => ({ t: 'yield', instances: some }))

const splitInParts = <Item>(items: Item[]): Item[][] =>
  Array.from({ length: Math.ceil(items.length / MAX_INSTANCES_PER_FRAME) }, (_, at) =>
    items.slice(at * MAX_INSTANCES_PER_FRAME, (at + 1) * MAX_INSTANCES_PER_FRAME),
  )
