// Reading of an answer what says that it is one, and no more.

const READ_AT_MOST = 64 * 1024

/** Until the body ends or enough of it was read: a receiver that answers without end has answered. */
export async function readSome(body: ReadableStream<Uint8Array> | null): Promise<void> {
  if (!body) return
  const reader = body.getReader()
  for (let read = 0; ; ) {
    const { done, value } = await reader.read()
    if (done) return
    read += value.length
    if (read < READ_AT_MOST) continue
    // Neither waited for nor listened to: the far end decides when and how it is over.
    reader.cancel().catch(() => undefined)
    return
  }
}
