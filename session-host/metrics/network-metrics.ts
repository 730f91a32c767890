// Counts how the network ends connections, and its words that the driver does not know; the number of labels is limited.

import { Counter, type Registry } from 'prom-client'

/** Names of one label value; further ones are counted as `other`. The network chooses them, so their number is bounded. */
const MAX_NAMES = 20
const NAME = /^[\w:. -]{1,60}$/

export function createNetworkMetrics(registry: Registry) {
  const registers = [registry]
  const closings = new Counter({
    name: 'host_network_closings_total',
    help: 'Streams that the network ended and logins that it refused, by the error that it sent.',
    labelNames: ['said'] as const,
    registers,
  })
  const unknown = new Counter({
    name: 'host_network_unknown_total',
    help: 'Words of the network that this version does not know, by kind and name.',
    labelNames: ['kind', 'name'] as const,
    registers,
  })
  const protocol = new Counter({
    name: 'host_network_protocol_messages_total',
    help: 'Messages that only clients need, and that make no record, by kind.',
    labelNames: ['kind'] as const,
    registers,
  })
  const seen = new Map<string, Set<string>>()

  /** The name, or `other`; and whether it occurred for the first time. */
  function limitName(kind: string, name: string): { label: string; isNew: boolean } {
    const names = seen.get(kind) ?? new Set<string>()
    seen.set(kind, names)
    const fits = NAME.test(name) && (names.has(name) || names.size < MAX_NAMES)
    const label = fits ? name : 'other'
    const isNew = !names.has(label)
    names.add(label)
    return { label, isNew }
  }

  return {
    /** The network ended a stream or refused a login with these words: `stream:error 503`, `stream:error ack`, `failure 405`. */
    countClosing(words: string): void {
      closings.inc({ said: limitName('closing', words).label })
    },
    countProtocolMessage(kind: string): void {
      protocol.inc({ kind: limitName('protocol', kind).label })
    },
    /** Counts a word that the driver does not know. Returns the name to log if it is new to this process. */
    countUnknownWord(kind: string, name: string): string | undefined {
      const { label, isNew } = limitName(kind, name)
      unknown.inc({ kind, name: label })
      return isNew ? label : undefined
    },
  }
}
