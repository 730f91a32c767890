// The protocol log of a host: collects the lines of its sockets, and writes them in blocks, so that a socket waits for nothing.

import { SECOND } from '@msgnet/shared/date-time.ts'
import type { LoggedNode, LogLine } from '@msgnet/shared/network-log-lines.ts'
import { openRing, type RingSize } from '@msgnet/shared/node/network-log-files.ts'
import type { Sealer } from '@msgnet/shared/seal.ts'
import type { Log } from '../process/host-log.ts'
import { createAnonymizer, type PlainNode } from './anonymize-nodes.ts'

const RING: RingSize = { bytes: 64 * 1024 * 1024, segmentBytes: 4 * 1024 * 1024 }
const BLOCK_CHARACTERS = 64 * 1024
const BLOCK_MS = SECOND
/** More than this does not wait for a slow disk. */
const MAX_WAITING_CHARACTERS = 4 * 1024 * 1024

/** The log of one socket. */
export type SocketLog = NonNullable<ReturnType<NetworkLog['open']>>

/** `on` for every instance, or the ids of some. */
export type LoggedInstances = 'on' | readonly string[]

interface Deps {
  folder: string
  instances: LoggedInstances
  sealer: Sealer
  /** Whether the protocol's dictionary has a word. */
  isWord(text: string): boolean
  log: Log
}

export class NetworkLog {
  readonly #ring: ReturnType<typeof openRing>
  readonly #instances: LoggedInstances
  readonly #anonymizeNode: (node: PlainNode) => LoggedNode
  readonly #log: Log
  #sockets = 0
  #lines: string[] = []
  #characters = 0
  #dropped = 0
  #writing: Promise<void> = Promise.resolve()
  #timer: NodeJS.Timeout | undefined
  #isFailing = false

  constructor({ folder, instances, sealer, isWord, log }: Deps) {
    this.#ring = openRing(folder, sealer, RING)
    this.#instances = instances
    this.#anonymizeNode = createAnonymizer(isWord)
    this.#log = log
  }

  /** Undefined for an instance that is not logged. */
  open(instance: string) {
    if (this.#instances !== 'on' && !this.#instances.includes(instance)) return
    this.#sockets += 1
    const socket = this.#sockets
    const describePlace = () => ({ at: Date.now(), instance, socket })
    this.#addLine({ ...describePlace(), what: 'open' })
    return {
      logReceived: (node: PlainNode) =>
        this.#addLine({ ...describePlace(), what: 'in', node: this.#anonymizeNode(node) }),
      logSent: (node: PlainNode) =>
        this.#addLine({ ...describePlace(), what: 'out', node: this.#anonymizeNode(node) }),
      logEnd: ({ kind, code }: { kind: string; code: number }) =>
        this.#addLine({ ...describePlace(), what: 'end', kind, code }),
    }
  }

  /** Resolves when all lines so far are on disk, or could not be written. */
  flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#writing = this.#writing.then(() => this.#writeBlock())
    return this.#writing
  }

  close(): Promise<void> {
    return this.flush()
  }

  #addLine(line: LogLine): void {
    if (this.#characters > MAX_WAITING_CHARACTERS) {
      this.#dropped += 1
      return
    }
    const text = JSON.stringify(line)
    this.#lines.push(text)
    this.#characters += text.length
    if (this.#characters >= BLOCK_CHARACTERS) void this.flush()
    else this.#timer ??= setTimeout(() => this.flush(), BLOCK_MS).unref()
  }

  /** Lines that the disk refuses are dropped: the log never blocks a session. */
  async #writeBlock(): Promise<void> {
    const block = this.#lines
    const lines = this.#dropped
    if (lines > 0)
      block.push(JSON.stringify({ at: Date.now(), instance: '', socket: 0, what: 'lost', lines }))
    this.#lines = []
    this.#dropped = 0
    if (block.length === 0) return
    try {
      await this.#ring.appendLines(block)
      this.#isFailing = false
    } catch (error) {
      if (!this.#isFailing) this.#log.error({ error }, 'failed to write protocol log')
      this.#isFailing = true
    }
    this.#characters = this.#lines.reduce((sum, { length }) => sum + length, 0)
  }
}
