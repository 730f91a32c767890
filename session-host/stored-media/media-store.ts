// Where sealed files are stored: a folder of this host, or a bucket.

import { createReadStream } from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'

export interface MediaStore {
  /** Stores the file at this path under a name: whole, or not at all. The path may be gone afterwards. */
  storeFile(name: string, path: string, signal: AbortSignal): Promise<void>
  hasFile(name: string, signal: AbortSignal): Promise<boolean>
  /** Undefined if there is no such file. */
  openFile(name: string, signal: AbortSignal): Promise<Readable | undefined>
  /** No error if there is no such file. */
  deleteFile(name: string, signal: AbortSignal): Promise<void>
}

/** Files that are not stored yet are here, beside the folders of instances. */
const INCOMING = 'incoming'

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT'

export class MediaFolder implements MediaStore {
  readonly path: string

  constructor(dataDir: string) {
    this.path = join(dataDir, 'media')
  }

  /** Where a file of this name is written before it is stored. */
  async prepareIncoming(name: string): Promise<string> {
    const path = this.findIncoming(name)
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    return path
  }

  findIncoming(name: string): string {
    return join(this.path, INCOMING, name.replace('/', '.'))
  }

  async storeFile(name: string, path: string): Promise<void> {
    const target = join(this.path, name)
    await mkdir(dirname(target), { recursive: true, mode: 0o700 })
    await rename(path, target)
    await syncPath(dirname(target))
  }

  async hasFile(name: string): Promise<boolean> {
    try {
      await stat(join(this.path, name))
      return true
    } catch (error) {
      if (isMissing(error)) return false
      throw error
    }
  }

  async openFile(name: string): Promise<Readable | undefined> {
    return (await this.hasFile(name)) ? createReadStream(join(this.path, name)) : undefined
  }

  async deleteFile(name: string): Promise<void> {
    await rm(join(this.path, name), { force: true })
  }

  /** The names of all files that were written before `time`, the incoming ones included. */
  async *listNames(time: number): AsyncGenerator<{ name: string; path: string }> {
    for (const folder of await listFolder(this.path)) {
      for (const file of await listFolder(join(this.path, folder))) {
        const path = join(this.path, folder, file)
        const name = folder === INCOMING ? file.replace('.', '/') : `${folder}/${file}`
        const written = await stat(path).catch(() => undefined)
        if (written && written.mtimeMs < time) yield { name, path }
      }
    }
  }
}

async function listFolder(path: string): Promise<string[]> {
  try {
    return await readdir(path)
  } catch (error) {
    if (isMissing(error) || (error as NodeJS.ErrnoException).code === 'ENOTDIR') return []
    throw error
  }
}

/** What was written to the file, or renamed in the folder, survives a power cut. */
export async function syncPath(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
