// A driver whose two canary instances are watched: their open connections are known, and their marked messages go no further.

import type {
  Account,
  Ack,
  Connection,
  ConnectionEvents,
  ConnectOptions,
  Driver,
  NetworkMessage,
  Person,
} from '../driver/driver.ts'
import { isMarked } from './marked-messages.ts'

/** An open connection of a canary instance. */
export interface OpenLine {
  instance: string
  account: Account
  network: Connection
}

type ArrivalListener = (instance: string, message: NetworkMessage) => void
type AckListener = (ack: Ack) => void

export class CanaryWatch {
  readonly driver: Driver
  readonly #pair: readonly string[]
  readonly #open = new Map<string, OpenLine>()
  /** Accounts of connections that have ended: their last messages still arrive. */
  readonly #accounts = new Map<string, Account>()
  readonly #arrivalListeners = new Set<ArrivalListener>()
  readonly #ackListeners = new Set<AckListener>()

  constructor(driver: Driver, pair: readonly string[]) {
    this.#pair = pair
    this.driver = {
      ...driver,
      connect: (options) =>
        pair.includes(options.instance) ? this.#connect(driver, options) : driver.connect(options),
    }
  }

  /** The open connections of the two, in their order. */
  listOpenLines(): OpenLine[] {
    return this.#pair.map((instance) => this.#open.get(instance)).filter((line) => line !== undefined)
  }

  listConnections(): { instance: string; isOpen: boolean }[] {
    return this.#pair.map((instance) => ({ instance, isOpen: this.#open.has(instance) }))
  }

  /** `listener` is called with each marked message that arrives at an instance; returns a function that ends that. */
  onArrival(listener: ArrivalListener): () => void {
    this.#arrivalListeners.add(listener)
    return () => void this.#arrivalListeners.delete(listener)
  }

  /** The same for acks of marked messages. */
  onAck(listener: AckListener): () => void {
    this.#ackListeners.add(listener)
    return () => void this.#ackListeners.delete(listener)
  }

  async #connect(driver: Driver, options: ConnectOptions): Promise<Connection> {
    const { instance } = options
    const account = Promise.withResolvers<Account>()
    const network = await driver.connect({
      ...options,
      events: this.#watchEvents(instance, options.events, account.resolve),
    })
    let closed = false
    void account.promise.then((found) => {
      if (!closed) this.#open.set(instance, { instance, account: found, network })
    })
    return {
      ...network,
      close: () => {
        closed = true
        if (this.#open.get(instance)?.network === network) this.#open.delete(instance)
        return network.close()
      },
    }
  }

  #watchEvents(
    instance: string,
    events: ConnectionEvents,
    resolveAccount: (account: Account) => void,
  ): ConnectionEvents {
    return {
      ...events,
      onOpen: (account) => {
        this.#accounts.set(instance, account)
        resolveAccount(account)
        events.onOpen(account)
      },
      onMessages: async (messages) => {
        const isFromPartner = ({ messageid, sender, fromMe }: NetworkMessage) =>
          !fromMe && isMarked(messageid) && this.#isPartner(instance, sender)
        for (const message of messages.filter(isFromPartner))
          for (const listener of this.#arrivalListeners) listener(instance, message)
        const others = messages.filter((message) => !isFromPartner(message))
        if (others.length > 0) await events.onMessages(others)
      },
      onReceipts: (receipts) => {
        const others = receipts.filter(({ messageid }) => !isMarked(messageid))
        if (others.length > 0) events.onReceipts(others)
      },
      onAck: (ack) => {
        if (!isMarked(ack.messageid)) return events.onAck(ack)
        for (const listener of this.#ackListeners) listener(ack)
      },
      onClosed: (closing) => {
        this.#open.delete(instance)
        events.onClosed(closing)
      },
    }
  }

  /** Only the other one's: a stranger who marks a message hides nothing with it. */
  #isPartner(instance: string, person: Person): boolean {
    const partner = this.#pair.find((one) => one !== instance) ?? ''
    const { jid = '', lid = '' } = this.#open.get(partner)?.account ?? this.#accounts.get(partner) ?? {}
    return [person.id, person.pn, person.lid].some((id) => id !== '' && (id === jid || id === lid))
  }
}
