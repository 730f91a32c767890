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
import { isMarked } from './marked-messages.ts'

/** An open connection of a canary instance. */
export interface OpenLine {
  instance: string
  account: Account
  network: Connection
}

export interface CanaryWatch {
  driver: Driver
  /** The open connections of the two, in their order. */
  listOpenLines(): OpenLine[]
  listConnections(): { instance: string; isOpen: boolean }[]
  /** `heard` is called with each marked message that arrives at an instance; answers a function that ends that. */
  onArrival(listener: (instance: string, message: NetworkMessage) => void): () => void
  /** The same for acks of marked messages. */
  onAck(listener: (ack: Ack) => void): () => void
}

export function watchDriver(driver: Driver, pair: readonly string[]): CanaryWatch {
  const open = new Map<string, OpenLine>()
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
    onOpen: (account: Account) => void,
  ): ConnectionEvents {
    return {
      ...events,
      onOpen(account) {
        known.set(instance, account)
        onOpen(account)
        events.onOpen(account)
      },
      async onMessages(messages) {
        const isFromPartner = ({ messageid, sender, fromMe }: NetworkMessage) =>
          !fromMe && isMarked(messageid) && isPartner(instance, sender)
        for (const message of messages.filter(isFromPartner))
          for (const listener of arrivals) listener(instance, message)
        const others = messages.filter((message) => !isFromPartner(message))
        if (others.length > 0) await events.onMessages(others)
      },
      onReceipts(receipts) {
        const others = receipts.filter(({ messageid }) => !isMarked(messageid))
        if (others.length > 0) events.onReceipts(others)
      },
      onAck(ack) {
        if (!isMarked(ack.messageid)) return events.onAck(ack)
        for (const listener of acks) listener(ack)
      },
      onClosed(closing) {
        open.delete(instance)
        events.onClosed(closing)
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
    listOpenLines: () => pair.map((instance) => open.get(instance)).filter((line) => line !== undefined),
    listConnections: () => pair.map((instance) => ({ instance, isOpen: open.has(instance) })),
    onArrival(listener) {
      arrivals.add(listener)
      return () => void arrivals.delete(listener)
    },
    onAck(listener) {
      acks.add(listener)
      return () => void acks.delete(listener)
    },
  }
}
