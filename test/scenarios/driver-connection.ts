// A connection of our driver: how a device is linked and logged in, and what it receives, in the words of the scenarios.

import { buffer } from 'node:stream/consumers'
import type {
  Connection,
  ConnectionEvents,
  NetworkMessage,
  NetworkOutcome,
  Person,
} from '@msgnet/session-host/driver/driver.ts'
import { PERSON_SUFFIX } from '@msgnet/shared/jid.ts'
import type { DriverWorld, Line } from '../host/driver.ts'
import { until } from '../until.ts'
import type { Closing, Progress, ReceivedCall, ReceivedMessage, Setting } from './client.ts'
import { listSettings } from './driver-settings.ts'

const PRESET_MS = 10_000

export const createDeadline = (ms = PRESET_MS) => AbortSignal.timeout(ms)
export const toJid = (name: string) => (name.includes('@') ? name : name + PERSON_SUFFIX)
const toNumber = ({ id, pn }: Person) => (pn || id).replace(PERSON_SUFFIX, '')

/** The value of an answer that is none but done. */
export function unwrapAnswer<Value>(outcome: NetworkOutcome<Value>): Value {
  if (outcome.kind === 'done') return outcome.value
  throw new Error(outcome.kind === 'refused' ? `refused with ${outcome.code}` : 'no response')
}

export class DriverConnection {
  readonly received: ReceivedMessage[] = []
  readonly receipts: { id: string; progress: Progress }[] = []
  readonly settings: Setting[] = []
  readonly calls: ReceivedCall[] = []
  readonly groups: string[] = []
  readonly groupChanges: { group: string; change: string }[] = []
  protected readonly world: DriverWorld
  readonly #instance = crypto.randomUUID()
  protected readonly encoded: Map<string, Uint8Array<ArrayBuffer>>
  #line: Line | undefined
  #online = false
  #code = ''
  #closing: Closing | undefined

  /** `stored`: what the host would have on disk, by id; the driver reads it when a phone requests a message again. */
  constructor(world: DriverWorld, stored: Map<string, Uint8Array<ArrayBuffer>>) {
    this.world = world
    this.encoded = stored
  }

  protected get network(): Connection {
    if (this.#line === undefined) throw new Error('not connected yet')
    return this.#line.connection
  }

  #createEvents(): Partial<ConnectionEvents> {
    return {
      onCode: (code) => {
        this.#code = code
      },
      onOpen: () => {
        this.#online = true
      },
      onClosed: ({ code, kind }) => {
        this.#online = false
        this.#closing = { code, kind }
      },
      onMessages: async (messages) => void this.received.push(...messages.map((one) => this.#toHeard(one))),
      onReceipts: (receipts) => {
        for (const { messageid, progress, own } of receipts) {
          const named = progress.toLowerCase()
          if (own && named !== 'sent') this.receipts.push({ id: messageid, progress: named as Progress })
        }
      },
      onSettings: (changes) => void this.settings.push(...changes.flatMap(listSettings)),
      onCall: ({ callid, creator, state }) =>
        void this.calls.push({ id: callid, from: toNumber(creator), state }),
      onGroupJoined: ({ jid }) => void this.groups.push(jid),
      onGroupChanged: ({ jid, settings, joined, left, promoted, demoted }) => {
        const addChange = (change: string) => this.groupChanges.push({ group: jid, change })
        for (const { pn } of joined) addChange(`add ${pn.replace(PERSON_SUFFIX, '')}`)
        for (const one of left) addChange(`remove ${toNumber(one)}`)
        for (const one of promoted) addChange(`promote ${toNumber(one)}`)
        for (const one of demoted) addChange(`demote ${toNumber(one)}`)
        for (const [name, value] of Object.entries(settings)) addChange(`${name} ${value}`)
      },
    }
  }

  #toHeard(message: NetworkMessage): ReceivedMessage {
    const { messageid, chat, sender, fromMe, type, mediaType, text, target, reaction, encoded } = message
    this.encoded.set(messageid, encoded)
    const file = mediaType === 'ptt' ? 'audio' : mediaType
    const named = { media: file, delete: 'revoke' } as Record<string, string>
    return {
      id: messageid,
      chat: toNumber(chat),
      sender: toNumber(sender),
      fromMe,
      text: this.#openEdit(message) ?? text,
      type: named[type] ?? type,
      target: target || reaction,
      downloadFile: async () => {
        const key = { messageid, fromMe, chatid: chat.id, sender: sender.id, isGroup: message.isGroup }
        return buffer(unwrapAnswer(await this.network.media.download(encoded, key, createDeadline())).file)
      },
      listChoices: async () => {
        const poll = this.encoded.get(target)
        if (!poll) throw new Error('no such poll')
        const own = await this.network.findKnownIds(toJid(this.number))
        const voter = await this.network.findKnownIds(sender.id)
        const listNames = ({ pn, lid }: Person) => [pn, lid].filter(Boolean)
        const creators = [...listNames(own), ...listNames(voter)]
        const vote = { poll, pollid: target, creators, vote: encoded, voters: listNames(voter) }
        return this.world.driver.decryptVote(vote) ?? []
      },
    }
  }

  /** The text of an edit that is encrypted under the secret of its message. */
  #openEdit({ type, sealed, target, sender, encoded }: NetworkMessage): string | undefined {
    const original = this.encoded.get(target)
    if (!sealed || type !== 'edit' || !original) return undefined
    const authors = [sender.pn, sender.lid].filter(Boolean)
    const edit = { target: original, targetid: target, authors, sealed: encoded, writers: authors }
    return this.world.driver.openSealed(edit)?.content.text
  }

  protected get number(): string {
    return this.#line?.account?.jid.replace(PERSON_SUFFIX, '') ?? ''
  }

  async showQr() {
    this.#line = await this.world.connectInstance(this.#instance, this.#createEvents())
    const line = this.#line
    return until(() => line.qr)
  }

  async showCode(number: string) {
    this.#line = await this.world.connectInstance(this.#instance, this.#createEvents(), number)
    return until(() => this.#code)
  }

  async login() {
    await this.tryLogin()
    await until(() => this.#online)
    unwrapAnswer(await this.network.settings.waitUntilReady(createDeadline()))
  }

  async tryLogin() {
    this.#closing = undefined
    this.#line = await this.world.connectInstance(this.#instance, this.#createEvents())
  }

  isOnline = () => this.#online
  waitUntilClosed = () => until(() => this.#closing)
  async leave() {
    this.#online = false
    await this.#line?.connection.close()
  }
}
