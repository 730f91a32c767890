// Writes a part's output into a file of bounded size, and keeps one older file.

import { closeSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs'

const MOST_BYTES = 20 * 1024 * 1024

export interface LogFile {
  write(chunk: Uint8Array): void
  close(): void
}

export function openLogFile(path: string): LogFile {
  let file = openSync(path, 'a', 0o600)
  let size = fstatSync(file).size
  return {
    write(chunk) {
      if (size + chunk.length > MOST_BYTES) {
        closeSync(file)
        renameSync(path, `${path}.1`)
        file = openSync(path, 'a', 0o600)
        size = 0
      }
      writeSync(file, chunk)
      size += chunk.length
    },
    close: () => closeSync(file),
  }
}
