// Writes a part's output into files of bounded size. If the disk is full, lines wait or are lost, and the process goes on.

import { closeSync, existsSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs'
import { createLogOutput, type LogOutput } from '../../shared/log-output.ts'
import { formatLoss } from './log-lines.ts'

/** The file that is written, and the older ones. With several files a rotation deletes only a small part of the log. */
const MAX_FILES = 5
const MIB = 1024 * 1024
const RETRY_MS = 1000

export interface LogFile extends Pick<LogOutput, 'write'> {
  close(): void
}

/** `maxMb`: the limit in MiB for all files of this log together. */
export function openLogFile(path: string, maxMb: number): LogFile {
  const maxBytes = Math.floor((maxMb * MIB) / MAX_FILES)
  let file: number | undefined
  let size = 0
  let retry: NodeJS.Timeout | undefined

  function openFile(): number {
    file = openSync(path, 'a', 0o600)
    size = fstatSync(file).size
    return file
  }

  function rotateFiles(): number {
    for (let n = MAX_FILES - 1; n > 0; n--) {
      const newer = n === 1 ? path : `${path}.${n - 1}`
      if (existsSync(newer)) renameSync(newer, `${path}.${n}`)
    }
    closeFile()
    return openFile()
  }

  function closeFile(): void {
    const openFile = file
    file = undefined
    if (openFile !== undefined) closeSync(openFile)
  }

  const output = createLogOutput({
    writeBytes(bytes) {
      try {
        let place = file ?? openFile()
        if (size > 0 && size + bytes.length > maxBytes) place = rotateFiles()
        const written = writeSync(place, bytes)
        size += written
        return written
      } catch (error) {
        // The next try opens it again: the file may be another one by then.
        closeFile()
        throw error
      }
    },
    scheduleRetry: (work) => {
      retry = setTimeout(work, RETRY_MS).unref()
    },
    describeDropped: formatLoss,
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
