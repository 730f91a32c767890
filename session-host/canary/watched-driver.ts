// A driver whose two canary instances are watched: their open connections are known, and their marked messages go no further.

import type {
  Account,
  Ack,
  Connection,
  ConnectionEvents,
  Driver,
  NetworkMessage,
  Person,
} from '../driver/driver.ts'
import { isMarked } from './mark.ts'

/** An open connection of a canary instance. */
export interface Line {
  instance: string
  account: Account
  network: Connection
}

export interface Watching {
  driver: Driver
  /** The open connections of the two, in their order. */
  lines(): Line[]
  connected(): { instance: string; isOpen: boolean }[]
  /** `heard` is called with each marked message that arrives at an instance; answers a function that ends that. */
  onArrival(heard: (instance: string, message: NetworkMessage) => void): () => void
  /** The same for acks of marked messages. */
  onAck(heard: (ack: Ack) => void): () => void
}

export function watchDriver(driver: Driver, pair: readonly string[]): Watching {
  const open = new Map<string, Line>()
  const arrivals = new Set<(instance: string, message: NetworkMessage) => void>()
  const acks = new Set<(ack: Ack) => void>()

  /** Only the other one's: a stranger who marks a message hides nothing with it. */
  function isPartner(instance: string, person: Person): boolean {
    const partner = pair.find((one) => one !== instance) ?? ''
    const { jid = '', lid = '' } = open.get(partner)?.account ?? known.get(partner) ?? {}
    return [person.id, person.pn, person.lid].some((id) => id !== '' && (id === jid || id === lid))
  }
  /** Accounts of connections that have ended: their last messages still arrive. */
  const known = new Map<string, Account>()

  function watchEvents(
    instance: string,
    events: ConnectionEvents,
    opened: (account: Account) => void,
  ): ConnectionEvents {
    return {
      ...events,
      open(account) {
        known.set(instance, account)
        opened(account)
        events.open(account)
      },
      async messages(messages) {
        const isOurs = ({ messageid, sender, fromMe }: NetworkMessage) =>
          !fromMe && isMarked(messageid) && isPartner(instance, sender)
        for (const message of messages.filter(isOurs)) for (const heard of arrivals) heard(instance, message)
        const others = messages.filter((message) => !isOurs(message))
        if (others.length > 0) await events.messages(others)
      },
      receipts(receipts) {
        const others = receipts.filter(({ messageid }) => !isMarked(messageid))
        if (others.length > 0) events.receipts(others)
      },
      ack(ack) {
        if (!isMarked(ack.messageid)) return events.ack(ack)
        for (const heard of acks) heard(ack)
      },
      closed(closing) {
        open.delete(instance)
        events.closed(closing)
      },
    }
  }

  return {
    driver: {
      ...driver,
      async connect(options) {
        const { instance } = options
        if (!pair.includes(instance)) return driver.connect(options)
        const account = Promise.withResolvers<Account>()
        const network = await driver.connect({
          ...options,
          events: watchEvents(instance, options.events, account.resolve),
        })
        let closed = false
        void account.promise.then((found) => {
          if (!closed) open.set(instance, { instance, account: found, network })
        })
        return {
          ...network,
          close() {
            closed = true
            if (open.get(instance)?.network === network) open.delete(instance)
            return network.close()
          },
        }
      },
    },
    lines: () => pair.map((instance) => open.get(instance)).filter((line) => line !== undefined),
    connected: () => pair.map((instance) => ({ instance, isOpen: open.has(instance) })),
    onArrival(heard) {
      arrivals.add(heard)
      return () => void arrivals.delete(heard)
    },
    onAck(heard) {
      acks.add(heard)
      return () => void acks.delete(heard)
    },
  }
}
