// Passes log lines to an output that may be full, slow or gone: then they wait, and those above a limit are lost and counted.

const MAX_WAITING_BYTES = 1024 * 1024
const NEWLINE = 0x0a

export interface LogOutput {
  /** Whole lines. Never throws. */
  write(lines: string | Uint8Array): void
  /** Tries to write what waits; true if nothing is left. */
  flush(): boolean
}

interface LogSink {
  /** Writes the beginning of these bytes, and answers how many; throws if there is no room for any. */
  writeBytes(bytes: Uint8Array): number
  /** Calls `work` again soon. */
  scheduleRetry(work: () => void): void
  /** The line that says how many were lost. */
  describeDropped(lines: number): string
}

export function createLogOutput({ writeBytes, scheduleRetry, describeDropped }: LogSink): LogOutput {
  const waiting: Uint8Array[] = []
  let waitingBytes = 0
  let droppedLines = 0
  let isRetryScheduled = false

  function enqueue(bytes: Uint8Array): void {
    waiting.push(bytes)
    waitingBytes += bytes.length
  }

  function flush(): boolean {
    try {
      for (let [first] = waiting; first; [first] = waiting) {
        const written = writeBytes(first)
        waitingBytes -= written
        if (written === first.length) waiting.shift()
        else waiting[0] = first.subarray(written)
        if (waiting.length > 0 || droppedLines === 0) continue
        enqueue(toBytes(`${describeDropped(droppedLines)}\n`))
        droppedLines = 0
      }
      return true
    } catch {
      // The log has no other place for this error. Its lines wait, and those that are lost are counted.
      retryLater()
      return false
    }
  }

  function retryLater(): void {
    if (isRetryScheduled) return
    isRetryScheduled = true
    scheduleRetry(() => {
      isRetryScheduled = false
      flush()
    })
  }

  return {
    write(lines) {
      const bytes = toBytes(lines)
      if (waitingBytes > 0 && waitingBytes + bytes.length > MAX_WAITING_BYTES) {
        droppedLines += bytes.filter((byte) => byte === NEWLINE).length
        return
      }
      enqueue(bytes)
      // While the output is stuck, the retries look after it.
      if (!isRetryScheduled) flush()
    },
    flush,
  }
}

const encoder = new TextEncoder()
const toBytes = (lines: string | Uint8Array): Uint8Array =>
  typeof lines === 'string' ? encoder.encode(lines) : lines
