// Writes a part's output into files of bounded size. If the disk is full, lines wait or are lost, and the process goes on.

import { closeSync, existsSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs'
import { type LogOutput, makeLogOutput } from '../../shared/log-output.ts'
import { toLossEntry } from './log-lines.ts'

/** The file that is written, and the older ones. With several files a rotation deletes only a small part of the log. */
const FILES = 5
const MIB = 1024 * 1024
const RETRY_MS = 1000

export interface LogFile extends Pick<LogOutput, 'write'> {
  close(): void
}

/** `keepMb`: the limit in MiB for all files of this log together. */
export function openLogFile(path: string, keepMb: number): LogFile {
  const maxBytes = Math.floor((keepMb * MIB) / FILES)
  let file: number | undefined
  let size = 0
  let retry: NodeJS.Timeout | undefined

  function open(): number {
    file = openSync(path, 'a', 0o600)
    size = fstatSync(file).size
    return file
  }

  function rotate(): number {
    for (let n = FILES - 1; n > 0; n--) {
      const newer = n === 1 ? path : `${path}.${n - 1}`
      if (existsSync(newer)) renameSync(newer, `${path}.${n}`)
    }
    closeFile()
    return open()
  }

  function closeFile(): void {
    const open = file
    file = undefined
    if (open !== undefined) closeSync(open)
  }

  const output = makeLogOutput({
    put(bytes) {
      try {
        let place = file ?? open()
        if (size > 0 && size + bytes.length > maxBytes) place = rotate()
        const written = writeSync(place, bytes)
        size += written
        return written
      } catch (error) {
        // The next try opens it again: the file may be another one by then.
        closeFile()
        throw error
      }
    },
    retry: (work) => {
      retry = setTimeout(work, RETRY_MS).unref()
    },
    describeLoss: toLossEntry,
  })
  return {
    write: output.write,
    close() {
      clearTimeout(retry)
      output.flush()
      closeFile()
    },
  }
}
