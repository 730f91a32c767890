// Passes log lines to an output that may be full, slow or gone: then they wait, and those above a limit are lost and counted.

const WAITING_BYTES = 1024 * 1024
const NEWLINE = 0x0a

export interface LogOutput {
  /** Whole lines. Never throws. */
  write(lines: string | Uint8Array): void
  /** Tries to write what waits; true if nothing is left. */
  flush(): boolean
}

interface Place {
  /** Writes the beginning of these bytes, and answers how many; throws if there is no room for any. */
  put(bytes: Uint8Array): number
  /** Calls `work` again soon. */
  retry(work: () => void): void
  /** The line that says how many were lost. */
  describeLoss(lines: number): string
}

export function makeLogOutput({ put, retry, describeLoss }: Place): LogOutput {
  const waiting: Uint8Array[] = []
  let waitingBytes = 0
  let linesLost = 0
  let retries = false

  function add(bytes: Uint8Array): void {
    waiting.push(bytes)
    waitingBytes += bytes.length
  }

  function flush(): boolean {
    try {
      for (let [first] = waiting; first; [first] = waiting) {
        const written = put(first)
        waitingBytes -= written
        if (written === first.length) waiting.shift()
        else waiting[0] = first.subarray(written)
        if (waiting.length > 0 || linesLost === 0) continue
        add(toBytes(`${describeLoss(linesLost)}\n`))
        linesLost = 0
      }
      return true
    } catch {
      // The log has no other place for this error. Its lines wait, and those that are lost are counted.
      retryLater()
      return false
    }
  }

  function retryLater(): void {
    if (retries) return
    retries = true
    retry(() => {
      retries = false
      flush()
    })
  }

  return {
    write(lines) {
      const bytes = toBytes(lines)
      if (waitingBytes > 0 && waitingBytes + bytes.length > WAITING_BYTES) {
        linesLost += bytes.filter((byte) => byte === NEWLINE).length
        return
      }
      add(bytes)
      // While the output is stuck, the retries look after it.
      if (!retries) flush()
    },
    flush,
  }
}

const encoder = new TextEncoder()
const toBytes = (lines: string | Uint8Array): Uint8Array =>
  typeof lines === 'string' ? encoder.encode(lines) : lines
