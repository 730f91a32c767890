// The protocol log of a host: collects the lines of its sockets, and writes them in blocks, so that a socket waits for nothing.

import { SECOND } from '../../shared/date-time.ts'
import type { LogLine } from '../../shared/network-log-lines.ts'
import { openRing, type RingSize } from '../../shared/node/network-log-files.ts'
import type { Sealer } from '../../shared/seal.ts'
import type { Log } from '../host-log.ts'
import { createAnonymizer, type PlainNode } from './anonymize-nodes.ts'

const RING: RingSize = { bytes: 64 * 1024 * 1024, segmentBytes: 4 * 1024 * 1024 }
const BLOCK_CHARACTERS = 64 * 1024
const BLOCK_MS = SECOND
/** More than this does not wait for a slow disk. */
const MAX_WAITING_CHARACTERS = 4 * 1024 * 1024

/** The log of one socket. */
export interface SocketLog {
  logReceived(node: PlainNode): void
  logSent(node: PlainNode): void
  logEnd(closing: { kind: string; code: number }): void
}

/** `on` for every instance, or the ids of some. */
export type LoggedInstances = 'on' | readonly string[]

export interface NetworkLog {
  /** Undefined for an instance that is not logged. */
  open(instance: string): SocketLog | undefined
  /** Resolves when all lines so far are on disk, or could not be written. */
  flush(): Promise<void>
  close(): Promise<void>
}

interface Deps {
  folder: string
  instances: LoggedInstances
  sealer: Sealer
  /** Whether the protocol's dictionary has a word. */
  isWord(text: string): boolean
  log: Log
}

export function createNetworkLog({ folder, instances, sealer, isWord, log }: Deps): NetworkLog {
  const ring = openRing(folder, sealer, RING)
  const anonymizeNode = createAnonymizer(isWord)
  let sockets = 0
  let lines: string[] = []
  let characters = 0
  let dropped = 0
  let writing: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  let failed = false

  function addLine(line: LogLine): void {
    if (characters > MAX_WAITING_CHARACTERS) {
      dropped += 1
      return
    }
    const text = JSON.stringify(line)
    lines.push(text)
    characters += text.length
    if (characters >= BLOCK_CHARACTERS) void flush()
    else timer ??= setTimeout(flush, BLOCK_MS).unref()
  }

  /** What the disk refuses is lost: the log never stands in the way of a session. */
  async function writeBlock(): Promise<void> {
    const block = lines
    if (dropped > 0)
      block.push(JSON.stringify({ at: Date.now(), instance: '', socket: 0, what: 'lost', lines: dropped }))
    lines = []
    dropped = 0
    if (block.length === 0) return
    try {
      await ring.appendLines(block)
      failed = false
    } catch (error) {
      if (!failed) log.error({ err: error }, 'the protocol log is not written')
      failed = true
    }
    characters = lines.reduce((sum, { length }) => sum + length, 0)
  }

  function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    writing = writing.then(writeBlock)
    return writing
  }

  return {
    open(instance) {
      if (instances !== 'on' && !instances.includes(instance)) return
      sockets += 1
      const socket = sockets
      const describePlace = () => ({ at: Date.now(), instance, socket })
      addLine({ ...describePlace(), what: 'open' })
      return {
        logReceived: (node) => addLine({ ...describePlace(), what: 'in', node: anonymizeNode(node) }),
        logSent: (node) => addLine({ ...describePlace(), what: 'out', node: anonymizeNode(node) }),
        logEnd: ({ kind, code }) => addLine({ ...describePlace(), what: 'end', kind, code }),
      }
    },
    flush,
    close: flush,
  }
}
