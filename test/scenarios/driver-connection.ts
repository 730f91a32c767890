// A connection of our driver: how a device is linked and logged in, and what it hears, in the words of the scenarios.

import { buffer } from 'node:stream/consumers'
import type {
  Answer,
  Connection,
  ConnectionEvents,
  NetworkMessage,
  Person,
} from '../../session-host/driver/driver.ts'
import { PERSON_SUFFIX } from '../../shared/jid.ts'
import type { DriverWorld, Line } from '../host/driver.ts'
import { until } from '../until.ts'
import type { Closing, Heard, HeardCall, Progress, Setting } from './client.ts'
import { settingsIn } from './driver-settings.ts'

const PRESET_MS = 10_000

export const deadline = (ms = PRESET_MS) => AbortSignal.timeout(ms)
export const toJid = (name: string) => (name.includes('@') ? name : name + PERSON_SUFFIX)
const toNumber = ({ id, pn }: Person) => (pn || id).replace(PERSON_SUFFIX, '')

/** The value of an answer that is none but done. */
export function unwrap<Value>(answer: Answer<Value>): Value {
  if (answer.kind === 'done') return answer.value
  throw new Error(answer.kind === 'refused' ? `refused with ${answer.code}` : 'no answer')
}

export class DriverConnection {
  readonly heard: Heard[] = []
  readonly receipts: { id: string; progress: Progress }[] = []
  readonly settings: Setting[] = []
  readonly calls: HeardCall[] = []
  readonly groups: string[] = []
  readonly groupChanges: { group: string; change: string }[] = []
  protected readonly world: DriverWorld
  readonly #instance = crypto.randomUUID()
  protected readonly encoded: Map<string, Uint8Array<ArrayBuffer>>
  #line: Line | undefined
  #online = false
  #code = ''
  #closing: Closing | undefined

  /** `stored`: what the host would have on disk, by id; the driver asks for it when a phone asks again. */
  constructor(world: DriverWorld, stored: Map<string, Uint8Array<ArrayBuffer>>) {
    this.world = world
    this.encoded = stored
  }

  protected get network(): Connection {
    if (this.#line === undefined) throw new Error('not connected yet')
    return this.#line.connection
  }

  #events(): Partial<ConnectionEvents> {
    return {
      code: (code) => {
        this.#code = code
      },
      open: () => {
        this.#online = true
      },
      closed: ({ code, kind }) => {
        this.#online = false
        this.#closing = { code, kind }
      },
      messages: async (messages) => void this.heard.push(...messages.map((one) => this.#hear(one))),
      receipts: (receipts) => {
        for (const { messageid, progress, ours } of receipts) {
          const named = progress.toLowerCase()
          if (ours && named !== 'sent') this.receipts.push({ id: messageid, progress: named as Progress })
        }
      },
      settings: (changes) => void this.settings.push(...changes.flatMap(settingsIn)),
      call: ({ callid, creator, state }) =>
        void this.calls.push({ id: callid, from: toNumber(creator), state }),
      groupJoined: ({ jid }) => void this.groups.push(jid),
      groupChanged: ({ jid, settings, joined, left, promoted, demoted }) => {
        const say = (change: string) => this.groupChanges.push({ group: jid, change })
        for (const { pn } of joined) say(`add ${pn.replace(PERSON_SUFFIX, '')}`)
        for (const one of left) say(`remove ${toNumber(one)}`)
        for (const one of promoted) say(`promote ${toNumber(one)}`)
        for (const one of demoted) say(`demote ${toNumber(one)}`)
        for (const [name, value] of Object.entries(settings)) say(`${name} ${value}`)
      },
    }
  }

  #hear(message: NetworkMessage): Heard {
    const { messageid, chat, sender, fromMe, type, mediaType, text, target, reaction, encoded } = message
    this.encoded.set(messageid, encoded)
    const file = mediaType === 'ptt' ? 'audio' : mediaType
    const named = { media: file, delete: 'revoke' } as Record<string, string>
    return {
      ...{ id: messageid, chat: toNumber(chat), sender: toNumber(sender), fromMe, text },
      type: named[type] ?? type,
      target: target || reaction,
      file: async () => {
        const key = { messageid, fromMe, chatid: chat.id, sender: sender.id, isGroup: message.isGroup }
        return buffer(unwrap(await this.network.media.download(encoded, key, deadline())).file)
      },
      choices: async () => {
        const poll = this.encoded.get(target)
        if (!poll) throw new Error('no such poll')
        const own = await this.network.knownAs(toJid(this.number))
        const voter = await this.network.knownAs(sender.id)
        const names = ({ pn, lid }: Person) => [pn, lid].filter(Boolean)
        const creators = [...names(own), ...names(voter)]
        const vote = { poll, pollid: target, creators, vote: encoded, voters: names(voter) }
        return this.world.driver.choicesOf(vote) ?? []
      },
    }
  }

  protected get number(): string {
    return this.#line?.account?.jid.replace(PERSON_SUFFIX, '') ?? ''
  }

  async showQr() {
    this.#line = await this.world.connect(this.#instance, this.#events())
    const line = this.#line
    return until(() => line.qr)
  }

  async showCode(number: string) {
    this.#line = await this.world.connect(this.#instance, this.#events(), number)
    return until(() => this.#code)
  }

  async login() {
    await this.tryLogin()
    await until(() => this.#online)
    unwrap(await this.network.settings.ready(deadline()))
  }

  async tryLogin() {
    this.#closing = undefined
    this.#line = await this.world.connect(this.#instance, this.#events())
  }

  isOnline = () => this.#online
  closed = () => until(() => this.#closing)
  async leave() {
    this.#online = false
    await this.#line?.connection.close()
  }
}
