// The protocol log of a host: collects the lines of its sockets, and writes them in blocks, so that a socket waits for nothing.

import { SECOND } from '../../shared/clock.ts'
import type { LogLine } from '../../shared/network-log.ts'
import { openRing, type RingSize } from '../../shared/node/network-log-files.ts'
import type { Sealer } from '../../shared/seal.ts'
import type { Log } from '../log.ts'
import { makeHarmless, type PlainNode } from './harmless.ts'

const RING: RingSize = { bytes: 64 * 1024 * 1024, segmentBytes: 4 * 1024 * 1024 }
const BLOCK_CHARACTERS = 64 * 1024
const BLOCK_MS = SECOND
/** More than this does not wait for a slow disk. */
const WAITING_CHARACTERS = 4 * 1024 * 1024

/** The log of one socket. */
export interface SocketLog {
  received(node: PlainNode): void
  sent(node: PlainNode): void
  ended(closing: { kind: string; code: number }): void
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

export function makeNetworkLog({ folder, instances, sealer, isWord, log }: Deps): NetworkLog {
  const ring = openRing(folder, sealer, RING)
  const makeNodeHarmless = makeHarmless(isWord)
  let sockets = 0
  let lines: string[] = []
  let characters = 0
  let lost = 0
  let writing: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  let failed = false

  function add(line: LogLine): void {
    if (characters > WAITING_CHARACTERS) {
      lost += 1
      return
    }
    const text = JSON.stringify(line)
    lines.push(text)
    characters += text.length
    if (characters >= BLOCK_CHARACTERS) void flush()
    else timer ??= setTimeout(flush, BLOCK_MS).unref()
  }

  /** What the disk refuses is lost: the log never stands in the way of a session. */
  async function write(): Promise<void> {
    const block = lines
    if (lost > 0)
      block.push(JSON.stringify({ at: Date.now(), instance: '', socket: 0, what: 'lost', lines: lost }))
    lines = []
    lost = 0
    if (block.length === 0) return
    try {
      await ring.append(block)
      failed = false
    } catch (thrown) {
      if (!failed) log.error({ err: thrown }, 'the protocol log is not written')
      failed = true
    }
    characters = lines.reduce((sum, { length }) => sum + length, 0)
  }

  function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    writing = writing.then(write)
    return writing
  }

  return {
    open(instance) {
      if (instances !== 'on' && !instances.includes(instance)) return
      sockets += 1
      const socket = sockets
      const place = () => ({ at: Date.now(), instance, socket })
      add({ ...place(), what: 'open' })
      return {
        received: (node) => add({ ...place(), what: 'in', node: makeNodeHarmless(node) }),
        sent: (node) => add({ ...place(), what: 'out', node: makeNodeHarmless(node) }),
        ended: ({ kind, code }) => add({ ...place(), what: 'end', kind, code }),
      }
    },
    flush,
    close: flush,
  }
}
