// The files of received messages, as sessions see them: which of them are kept, and the stored file of a message.

import { pipeline, type Readable } from 'node:stream'
import type { Statement } from '@msgnet/shared/db/prepared-queries.ts'
import { STATUS_JID } from '@msgnet/shared/jid.ts'
import type { Sealer } from '@msgnet/shared/seal.ts'
import type { Driver } from '../driver/driver.ts'
import type { Log } from '../process/host-log.ts'
import type { FencedStore } from '../store/fenced-store.ts'
import { isKnownSender } from '../store/known-senders.ts'
import { addMediaRow, findMediaRow, type MediaRow } from '../store/media-rows.ts'
import type { MessageRow } from '../store/message-store.ts'
import { createOpenStream } from './file-sealing.ts'
import type { MediaFolder, MediaStore } from './media-store.ts'

interface StoredMediaParts {
  /** Whether files of new messages are kept. */
  isOn: boolean
  store: FencedStore
  /** On this host: the media store itself, or where files wait for it. */
  folder: MediaFolder
  files: MediaStore
  sealer: Sealer
  maxFileBytes: number
  driver: Pick<Driver, 'identifyFile'>
  log: Log
}

export class StoredMedia {
  readonly isOn: boolean
  readonly store: FencedStore
  readonly folder: MediaFolder
  readonly files: MediaStore
  readonly maxFileBytes: number
  readonly #sealer: Sealer
  readonly #driver: Pick<Driver, 'identifyFile'>
  readonly #log: Log
  #onAdded: () => void = () => undefined
  #onEnded: () => void = () => undefined

  constructor({ isOn, store, folder, files, sealer, maxFileBytes, driver, log }: StoredMediaParts) {
    this.isOn = isOn
    this.store = store
    this.folder = folder
    this.files = files
    this.maxFileBytes = maxFileBytes
    this.#sealer = sealer
    this.#driver = driver
    this.#log = log
  }

  /** Sets what is called when the file of a message is to be fetched. */
  onAdded(work: () => void): void {
    this.#onAdded = work
  }

  /** Sets what is called when files are to be deleted. */
  onEnded(work: () => void): void {
    this.#onEnded = work
  }

  /** Whether the file of this message is kept. Its length comes from its sender, so it is counted again while it is fetched. That of a contact's status post is fetched for a caller only. */
  isStorable({ record, encoded }: MessageRow): boolean {
    return (
      this.isOn &&
      record.type === 'media' &&
      (record.fromMe || record.chatid !== STATUS_JID) &&
      encoded !== null &&
      Number(record.content.fileLength ?? 0) <= this.maxFileBytes
    )
  }

  /** In the batch that stores the message. */
  async buildAddition({ instance, messageid, record, encoded }: MessageRow): Promise<Statement> {
    const digest = encoded ? this.#driver.identifyFile(encoded) : ''
    const stranger = !(await isKnownSender(this.store, instance, record))
    return addMediaRow({ instance, messageid, digest, stranger })
  }

  announceAddition(): void {
    this.#onAdded()
  }

  announceEnd(): void {
    this.#onEnded()
  }

  sealKey(name: string, key: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
    return this.#sealer.seal(key, `media:${name}`)
  }

  /** The plain file of a message; undefined if it is not stored, or if the store does not return it now. */
  async openFile(instance: string, messageid: string, signal: AbortSignal): Promise<Readable | undefined> {
    const row = await findMediaRow(this.store, instance, messageid)
    if (row?.state !== 'stored' || !row.key) return undefined
    try {
      return await this.#openStored(row, row.key, signal)
    } catch (error) {
      this.#log.warn({ instance, messageid, error }, 'failed to open stored file')
      return undefined
    }
  }

  async #openStored({ name }: MediaRow, sealedKey: Uint8Array<ArrayBuffer>, signal: AbortSignal) {
    const key = await this.#sealer.open(sealedKey, `media:${name}`)
    const sealed = await this.files.openFile(name, signal)
    // An error of the store appears in the opened stream.
    return sealed && pipeline(sealed, createOpenStream(key), () => undefined)
  }
}
