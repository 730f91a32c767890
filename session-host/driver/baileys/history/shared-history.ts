// The past of a group that a member shares with this account after it joined: read from the media hosts and reported as history.

import { setTimeout as wait } from 'node:timers/promises'
import { isJidGroup, jidNormalizedUser, type proto, type WAMessage, type WASocket } from 'baileys'
import type { Log } from '../../../process/host-log.ts'
import type { ConnectionEvents } from '../../driver.ts'
import type { MediaHosts } from '../messages/media-hosts.ts'
import { toMilliseconds } from '../network-times.ts'
import { type ChunkMessage, readSharedMessages } from './chunk-messages.ts'
import { fetchHistory, Interrupted, inflate, waitUntilStored } from './history-file.ts'
import { CHUNK_MS, type HistoryTurns, PAUSE_MS } from './history-reader.ts'
import { PastMessages } from './past-messages.ts'

/** Compressed. Phones share a hundred messages. */
const MAX_BYTES = 8 * 1024 * 1024
const MAX_MESSAGES = 10_000
/** Of a session: any member of a group can send one. */
const MAX_WAITING = 8
/** Then it is left: unlike a chunk of the account's own phone, no history waits for it. */
const MAX_TRIES = 5

interface Deps {
  sock: WASocket
  media: Pick<MediaHosts, 'downloadFile'>
  events: Pick<ConnectionEvents, 'onHistoryPage'>
  instance: string
  turns: Pick<HistoryTurns, 'shared'>
  log: Log
}

export class SharedHistory {
  readonly #deps: Deps
  readonly #ending = new AbortController()
  #waiting = 0

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Whether a member of a group shares its past with this account. */
  isBundle({ key, message }: WAMessage): boolean {
    const receivers = message?.messageHistoryBundle?.messageHistoryMetadata?.historyReceivers ?? []
    return isJidGroup(key.remoteJid ?? '') === true && !key.fromMe && receivers.some((id) => this.#isOwn(id))
  }

  /** Resolves to true when nothing more can be learned from it, and to false when a later connection should read it. */
  async readBundle(info: WAMessage): Promise<boolean> {
    const { instance, turns, log } = this.#deps
    const { signal } = this.#ending
    const about = { messageid: info.key.id, group: info.key.remoteJid }
    if (this.#waiting >= MAX_WAITING) {
      log.warn(about, 'too many shared histories')
      return true
    }
    this.#waiting += 1
    try {
      for (let tries = 1, pause = PAUSE_MS.first; tries <= MAX_TRIES; tries += 1, pause *= 2) {
        try {
          const read = await turns.shared.runTimed(instance, () => this.#processBundle(info), signal)
          log.info({ ...about, ...read }, 'shared history read')
          return true
        } catch (error) {
          if (signal.aborted) return false
          log.warn({ ...about, tries, error }, 'failed to read shared history')
          if (!(error instanceof Interrupted)) return true
        }
        await wait(pause, undefined, { signal, ref: false }).catch(() => undefined)
        if (signal.aborted) return false
      }
      return true
    } finally {
      this.#waiting -= 1
    }
  }

  stop(): void {
    this.#ending.abort()
  }

  async #processBundle(info: WAMessage) {
    const { sock, media, events } = this.#deps
    const { signal } = this.#ending
    signal.throwIfAborted()
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(CHUNK_MS)])
    const bundle = info.message?.messageHistoryBundle ?? {}
    // All of it, because only the end of a file says whether it is the one that was sent.
    const compressed = await (
      await fetchHistory(media, bundle, 'group-history', MAX_BYTES, deadline)
    ).toArray()
    const past = new PastMessages(sock, [])
    let messages = 0
    const { skipped } = await readSharedMessages(inflate(compressed, signal), async (some) => {
      signal.throwIfAborted()
      const accepted = some.flatMap((one) => this.#acceptMessage(one, info) ?? [])
      const converted = await past.convert(accepted.slice(0, MAX_MESSAGES - messages))
      // What is sealed changes other messages, and its author is not proven here.
      const page = converted.filter(({ sealed }) => !sealed)
      messages += page.length
      if (page.length === 0) return
      // Pages begin with the newest.
      const shared = { kind: 'shared', chunk: 0, progress: 100, messages: page.reverse() } as const
      await waitUntilStored(events.onHistoryPage(shared))
    })
    return { messages, skipped }
  }

  /** As seen from this account. Undefined for a message of another chat, of later, or of this account: nobody else says what it wrote. */
  #acceptMessage({ info, order }: ChunkMessage, bundle: WAMessage): ChunkMessage | undefined {
    const { remoteJid: group } = bundle.key
    const { key, reactions } = info
    const author = this.#findAuthor(key, info.participant, bundle)
    const isOfChat = !key?.remoteJid || key.remoteJid === group
    const isLater = toMilliseconds(info.messageTimestamp) > toMilliseconds(bundle.messageTimestamp)
    if (!key?.id || !author || !isOfChat || isLater) return undefined
    const reacted = (reactions ?? []).flatMap((one) => {
      const by = this.#findAuthor(one.key, undefined, bundle)
      return by ? [{ ...one, key: { ...one.key, fromMe: false, participant: by } }] : []
    })
    const seen = { id: key.id, remoteJid: group ?? '', fromMe: false, participant: author }
    return { info: { ...info, key: seen, participant: author, reactions: reacted }, order }
  }

  /** `fromMe` is said by who shares it. */
  #findAuthor(
    key: proto.IMessageKey | null | undefined,
    participant: string | null | undefined,
    bundle: WAMessage,
  ): string | undefined {
    const author = key?.fromMe ? bundle.key.participant : key?.participant || participant
    return author && !this.#isOwn(author) ? author : undefined
  }

  #isOwn(jid: string): boolean {
    const { id, lid } = this.#deps.sock.authState.creds.me ?? { id: '' }
    return [id, lid].some((own) => own && jidNormalizedUser(own) === jidNormalizedUser(jid))
  }
}
