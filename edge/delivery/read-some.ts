// Reads only the beginning of an answer's body.

const READ_AT_MOST = 64 * 1024

/** Until the body ends or enough was read: a receiver whose body never ends has answered too. */
export async function readSome(body: ReadableStream<Uint8Array> | null): Promise<void> {
  if (!body) return
  const reader = body.getReader()
  for (let read = 0; ; ) {
    const { done, value } = await reader.read()
    if (done) return
    read += value.length
    if (read < READ_AT_MOST) continue
    // Not awaited, and its error is ignored: the receiver decides when and how the connection ends.
    reader.cancel().catch(() => undefined)
    return
  }
}
