// Does the person's part of a first day in the simulated network, by its control routes.

import { setTimeout as wait } from 'node:timers/promises'
import type { Pairing } from '@msgnet/shared/contract/instance-requests.ts'
import { type ChatKind, type Person, PICTURE, type Task, VOTE } from './person-tasks.ts'

const REST_MS = 2000

type CallSimulator = (
  method: string,
  path: string,
  body?: unknown,
) => Promise<{ id?: string; jid?: string; lid?: string; messages?: { id: string; type: string }[] }>

const createNumber = () => `55118${String(Math.floor(Math.random() * 1e8)).padStart(8, '0')}`

export class SimulatedPerson implements Person {
  readonly #call: CallSimulator
  /** The number of the account, once it is linked. */
  readonly #readNumber: () => Promise<string>
  #friend: Promise<string> | undefined
  #text = ''
  #picture = ''
  #group = ''

  constructor(call: CallSimulator, readNumber: () => Promise<string>) {
    this.#call = call
    this.#readNumber = readNumber
  }

  async linkDevice(pairing: Pairing): Promise<void> {
    const { number } = await this.#createPhone('Owner')
    if (pairing.method === 'qr') await this.#call('POST', `/phones/${number}/scan`, { qr: pairing.qr })
    else await this.#call('POST', `/phones/${number}/code`, { code: pairing.code })
  }

  nameChat(kind: ChatKind): Promise<string> {
    const chats: Record<ChatKind, () => Promise<string>> = {
      old: () => this.#befriend(),
      stranger: async () => (await this.#createPhone('Stranger')).number,
      lidOnly: async () => (await this.#createPhone('Stranger')).lid,
      group: () => this.#createGroup('pn'),
      lidGroup: () => this.#createGroup('lid'),
    }
    return chats[kind]()
  }

  async perform(task: Task): Promise<boolean> {
    const by = await this.#findFriend()
    const acts: Record<Task, () => Promise<unknown>> = {
      write: async () => {
        this.#text = await this.#write({ text: 'One' })
      },
      picture: async () => {
        this.#picture = await this.#write({ image: PICTURE })
      },
      edit: () => this.#call('POST', `/messages/${this.#text}/edit`, { by, text: 'Two' }),
      remove: () => this.#call('POST', `/messages/${this.#picture}/revoke`, { by }),
      once: () => this.#write({ image: PICTURE, viewOnce: true }),
      vote: () => this.#voteInPoll(by),
      grow: async () => {
        const participants = [(await this.#createPhone('Stranger')).number]
        await this.#call('POST', `/groups/${this.#group}/participants`, { action: 'add', by, participants })
      },
      interrupt: () => this.#interrupt(),
      unlink: async () => this.#call('POST', `/phones/${await this.#readNumber()}/unlink`, {}),
    }
    await acts[task]()
    return true
  }

  rest = (): Promise<void> => wait(REST_MS)

  async #createPhone(name: string): Promise<{ number: string; lid: string }> {
    const number = createNumber()
    const { lid = '' } = await this.#call('POST', '/phones', { number, name })
    return { number, lid }
  }

  #findFriend(): Promise<string> {
    this.#friend ??= this.#createPhone('Friend').then(({ number }) => number)
    return this.#friend
  }

  /** A status post goes to the contacts in the address book of the phone. */
  async #befriend(): Promise<string> {
    const friend = await this.#findFriend()
    const contact = { action: 'contact', chat: friend, name: 'Friend' }
    await this.#call('POST', `/phones/${await this.#readNumber()}/settings`, contact)
    return friend
  }

  async #createGroup(addressing: 'pn' | 'lid'): Promise<string> {
    const group = {
      subject: 'Day',
      owner: await this.#findFriend(),
      participants: [await this.#readNumber()],
      addressing,
    }
    const { jid = '' } = await this.#call('POST', '/groups', group)
    this.#group = jid
    return jid
  }

  async #write(content: object): Promise<string> {
    const message = { from: await this.#findFriend(), to: await this.#readNumber(), ...content }
    return (await this.#call('POST', '/messages', message)).id ?? ''
  }

  /** In the newest. */
  async #voteInPoll(by: string): Promise<void> {
    const { messages = [] } = await this.#call('GET', `/phones/${by}/inbox`)
    const poll = messages.findLast(({ type }) => type === 'poll')
    await this.#call('POST', `/messages/${poll?.id}/vote`, { by, choices: [VOTE] })
  }

  async #interrupt(): Promise<void> {
    const number = await this.#readNumber()
    await this.#call('POST', '/faults', { kind: 'unreachable', number })
    await this.#call('POST', '/faults', { kind: 'close', number })
    await this.#write({ text: 'Meanwhile' })
    await this.#call('DELETE', '/faults')
  }
}
