// Reads only the beginning of an answer's body.

const READ_AT_MOST = 64 * 1024
/** Of a refusal, in bytes. */
const REFUSAL_READ = 1024

/** Until the body ends or enough was read: a receiver whose body never ends has answered too. */
export async function readSome(body: ReadableStream<Uint8Array> | null): Promise<void> {
  if (!body) return
  const reader = body.getReader()
  for (let read = 0; ; ) {
    const { done, value } = await reader.read()
    if (done) return
    read += value.length
    if (read < READ_AT_MOST) continue
    dismiss(reader)
    return
  }
}

type Reader = ReadableStreamDefaultReader<Uint8Array>

// Not awaited, and its error is ignored: the receiver decides when and how the connection ends.
const dismiss = (reader: Reader) => void reader.cancel().catch(() => undefined)

/**
 * The beginning of a refusal as one line of plain text. Whatever has not come when `late` resolves is left out: a refusal
 * must not hold up the queue.
 */
export async function readRefusal(
  body: ReadableStream<Uint8Array> | null,
  late: Promise<unknown>,
): Promise<string> {
  if (!body) return ''
  const reader = body.getReader()
  const bytes = new Uint8Array(REFUSAL_READ)
  let read = 0
  const reading = fill()
  await Promise.race([reading, late])
  dismiss(reader)
  return toPlainLine(bytes.subarray(0, read), read === REFUSAL_READ)

  async function fill(): Promise<void> {
    try {
      while (read < REFUSAL_READ) {
        const { done, value } = await reader.read()
        if (done) return
        const part = value.subarray(0, REFUSAL_READ - read)
        bytes.set(part, read)
        read += part.length
      }
    } catch {
      // The connection ended: what has come so far is the answer.
    }
  }
}

/** `isCut`: the last character may have lost bytes. */
function toPlainLine(bytes: Uint8Array, isCut: boolean): string {
  const text = new TextDecoder().decode(bytes)
  const whole = isCut ? text.replace(/\uFFFD$/, '') : text
  // White space, controls, and characters that reorder text.
  return whole.replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ').trim()
}
