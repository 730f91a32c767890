// Writes a part's output into files of bounded size. If the disk is full, lines wait or are dropped, and the process goes on.

import { closeSync, existsSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs'
import { LogOutput } from '@msgnet/shared/log-output.ts'
import { formatLoss } from './log-lines.ts'

/** The file that is written, and the older ones. With several files a rotation deletes only a small part of the log. */
const MAX_FILES = 5
const MIB = 1024 * 1024
const RETRY_MS = 1000

export class LogFile {
  readonly #path: string
  readonly #maxBytes: number
  readonly #output
  #file: number | undefined
  #size = 0
  #retry: NodeJS.Timeout | undefined

  /** `maxMb`: the limit in MiB for all files of this log together. */
  constructor(path: string, maxMb: number) {
    this.#path = path
    this.#maxBytes = Math.floor((maxMb * MIB) / MAX_FILES)
    this.#output = new LogOutput({
      writeBytes: (bytes) => this.#writeBytes(bytes),
      scheduleRetry: (work) => {
        this.#retry = setTimeout(work, RETRY_MS).unref()
      },
      describeDropped: formatLoss,
    })
  }

  /** Whole lines. Never throws. */
  write(lines: string | Uint8Array): void {
    this.#output.write(lines)
  }

  close(): void {
    clearTimeout(this.#retry)
    this.#output.flush()
    this.#closeFile()
  }

  #writeBytes(bytes: Uint8Array): number {
    try {
      let file = this.#file ?? this.#openFile()
      if (this.#size > 0 && this.#size + bytes.length > this.#maxBytes) file = this.#rotateFiles()
      const written = writeSync(file, bytes)
      this.#size += written
      return written
    } catch (error) {
      // The next try opens it again: the file may be another one by then.
      this.#closeFile()
      throw error
    }
  }

  #openFile(): number {
    const file = openSync(this.#path, 'a', 0o600)
    this.#file = file
    this.#size = fstatSync(file).size
    return file
  }

  #rotateFiles(): number {
    for (let n = MAX_FILES - 1; n > 0; n--) {
      const newer = n === 1 ? this.#path : `${this.#path}.${n - 1}`
      if (existsSync(newer)) renameSync(newer, `${this.#path}.${n}`)
    }
    this.#closeFile()
    return this.#openFile()
  }

  #closeFile(): void {
    const file = this.#file
    this.#file = undefined
    if (file !== undefined) closeSync(file)
  }
}
