// The files of messages that are sent at a time: sealed in pieces in the store, and opened again when the message is due.

import { dirname } from 'node:path'
import { measureDiskSpace } from '@msgnet/shared/node/data-folder-metrics.ts'
import type { Sealer } from '@msgnet/shared/seal.ts'
import type { Bytes } from '@msgnet/shared/seal-keys.ts'
import type { FencedStore } from '../store/fenced-store.ts'
import { addPiece, deleteScheduledFile, findPiece } from '../store/scheduled-store.ts'

const PIECE_BYTES = 256 * 1024
/** Of the disk, for what the sessions of all instances write. */
const RESERVED_BYTES = 256 * 1024 * 1024

/** How many bytes the disk of a host's own file has; a server of a shared store has its own limits. */
const measureFreeBytes = async ({ file }: FencedStore): Promise<number> =>
  file === undefined ? Number.POSITIVE_INFINITY : (await measureDiskSpace(dirname(file))).freeBytes

export interface MessageName {
  instance: string
  messageid: string
}

export class ScheduledFiles {
  readonly #store: FencedStore
  readonly #sealer: Sealer
  readonly #measureFree: (store: FencedStore) => Promise<number>

  constructor(store: FencedStore, sealer: Sealer, measureFree = measureFreeBytes) {
    this.#store = store
    this.#sealer = sealer
    this.#measureFree = measureFree
  }

  /**
   * Stores all of it, and returns its size; undefined if it is larger than `maxBytes`, or than half of what the disk has for such files:
   * the disk is that of all instances. Rejects if it does not arrive whole.
   */
  async storeFile(
    name: MessageName,
    body: ReadableStream<Uint8Array>,
    maxBytes: number,
  ): Promise<number | undefined> {
    const room = ((await this.#measureFree(this.#store)) - RESERVED_BYTES) / 2
    let rest = Buffer.alloc(0)
    let [place, size] = [0, 0]
    for await (const chunk of body) {
      size += chunk.length
      if (size > Math.min(maxBytes, room)) return undefined
      rest = Buffer.concat([rest, chunk])
      while (rest.length >= PIECE_BYTES) {
        await this.#storePiece(name, place++, rest.subarray(0, PIECE_BYTES))
        rest = rest.subarray(PIECE_BYTES)
      }
    }
    if (rest.length > 0 || place === 0) await this.#storePiece(name, place, rest)
    return size
  }

  /** Errors of the store and of the keys end the stream. */
  openFile(name: MessageName): ReadableStream<Uint8Array> {
    let place = 0
    return new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        const piece = await this.#openPiece(name, place++)
        if (piece?.length) controller.enqueue(piece)
        else controller.close()
      },
    })
  }

  async deleteFile({ instance, messageid }: MessageName): Promise<void> {
    await this.#store.commitFor(instance, [deleteScheduledFile(instance, messageid)])
  }

  async #storePiece(name: MessageName, place: number, plain: Buffer): Promise<void> {
    const bytes = await this.#sealer.seal(Uint8Array.from(plain), formatContext(name, place))
    await this.#store.commitFor(name.instance, [addPiece(this.#store, { ...name, place, bytes })])
  }

  async #openPiece(name: MessageName, place: number): Promise<Bytes | undefined> {
    const sealed = await findPiece(this.#store, name.instance, name.messageid, place)
    return sealed && this.#sealer.open(Uint8Array.from(sealed), formatContext(name, place))
  }
}

const formatContext = ({ instance, messageid }: MessageName, place: number): string =>
  `scheduled:${instance}:${messageid}:${place}`
