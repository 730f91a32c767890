// The file that an export is written to: the browser's own storage on disk, so that the page's memory does not grow with it.

/** Only pages by https or on this machine have this storage; other pages hold the file in memory. */
export const canWriteFiles = isSecureContext && 'storage' in navigator && 'getDirectory' in navigator.storage

const FILE_NAME = 'export.ndjson'
const CHUNK_BYTES = 256 * 1024

export type ExportFile = Awaited<ReturnType<typeof openExportFile>>

/** Replaces the file of an earlier export. */
export async function openExportFile() {
  const target = canWriteFiles ? await openStoredFile() : openMemoryFile()
  const encoder = new TextEncoder()
  let pending: Uint8Array<ArrayBuffer>[] = []
  let pendingBytes = 0
  const flushPending = async () => {
    const blob = new Blob(pending)
    pending = []
    pendingBytes = 0
    await target.write(blob)
  }
  return {
    /** Returns the number of bytes. */
    async writeLine(text: string): Promise<number> {
      const bytes = encoder.encode(`${text}\n`)
      pending.push(bytes)
      pendingBytes += bytes.length
      if (pendingBytes >= CHUNK_BYTES) await flushPending()
      return bytes.length
    },
    async close(): Promise<Blob> {
      await flushPending()
      return target.close()
    },
    discard: () => target.discard(),
  }
}

async function openStoredFile() {
  const folder = await navigator.storage.getDirectory()
  const handle = await folder.getFileHandle(FILE_NAME, { create: true })
  const stream = await handle.createWritable()
  return {
    write: (blob: Blob) => stream.write(blob),
    async close(): Promise<Blob> {
      await stream.close()
      return handle.getFile()
    },
    async discard() {
      await stream.abort()
      await folder.removeEntry(FILE_NAME)
    },
  }
}

function openMemoryFile() {
  let parts: Blob[] = []
  return {
    async write(blob: Blob) {
      parts.push(blob)
    },
    close: async (): Promise<Blob> => new Blob(parts),
    async discard() {
      parts = []
    },
  }
}
