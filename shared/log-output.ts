// Passes log lines to an output that may be full, slow or gone: then they wait, and those above a limit are dropped and counted.

const MAX_WAITING_BYTES = 1024 * 1024
const NEWLINE = 0x0a

interface LogSink {
  /** Writes the beginning of these bytes, and returns how many; throws if there is no room for any. */
  writeBytes(bytes: Uint8Array): number
  /** Calls `work` again soon. */
  scheduleRetry(work: () => void): void
  /** The line that says how many were dropped. */
  describeDropped(lines: number): string
}

export class LogOutput {
  readonly #sink: LogSink
  readonly #waiting: Uint8Array[] = []
  #waitingBytes = 0
  #droppedLines = 0
  #isRetryScheduled = false

  constructor(sink: LogSink) {
    this.#sink = sink
  }

  /** Whole lines. Never throws. */
  write(lines: string | Uint8Array): void {
    const bytes = toBytes(lines)
    if (this.#waitingBytes > 0 && this.#waitingBytes + bytes.length > MAX_WAITING_BYTES) {
      this.#droppedLines += bytes.filter((byte) => byte === NEWLINE).length
      return
    }
    this.#enqueue(bytes)
    // While the output is stuck, the scheduled retry flushes it.
    if (!this.#isRetryScheduled) this.flush()
  }

  /** Tries to write what waits; true if nothing is left. */
  flush(): boolean {
    try {
      for (let [first] = this.#waiting; first; [first] = this.#waiting) {
        const written = this.#sink.writeBytes(first)
        this.#waitingBytes -= written
        if (written === first.length) this.#waiting.shift()
        else this.#waiting[0] = first.subarray(written)
        if (this.#waiting.length > 0 || this.#droppedLines === 0) continue
        this.#enqueue(toBytes(`${this.#sink.describeDropped(this.#droppedLines)}\n`))
        this.#droppedLines = 0
      }
      return true
    } catch {
      // There is no other log for this error. Its lines wait, and those that are dropped are counted.
      this.#retryLater()
      return false
    }
  }

  #enqueue(bytes: Uint8Array): void {
    this.#waiting.push(bytes)
    this.#waitingBytes += bytes.length
  }

  #retryLater(): void {
    if (this.#isRetryScheduled) return
    this.#isRetryScheduled = true
    this.#sink.scheduleRetry(() => {
      this.#isRetryScheduled = false
      this.flush()
    })
  }
}

const encoder = new TextEncoder()
const toBytes = (lines: string | Uint8Array): Uint8Array =>
  typeof lines === 'string' ? encoder.encode(lines) : lines
