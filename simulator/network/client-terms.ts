// The terms on which the network accepts clients: the oldest version that it accepts, its clock, and what clients must fetch again.
import { randomBytes } from 'node:crypto'
import type { proto } from '../codec/protobuf.ts'
import { buildStanza, type Stanza } from '../codec/stanza.ts'
import { SERVER } from './address.ts'
import type { Connection } from './connections.ts'
import { formatSeconds } from './stanza-ids.ts'

/** What a client's copy may be out of date in. */
export const DIRTY_KINDS = ['groups', 'account_sync'] as const
export type DirtyKind = (typeof DIRTY_KINDS)[number]

export class Terms {
  /** The last part of the oldest version that may log in; 0 accepts all. */
  oldestVersion = 0
  /** Milliseconds that the network's clock is ahead of this machine's. */
  clockAhead = 0
  /** By account: the data of its companions is out of date until they report that they have fetched it. */
  readonly #dirty = new Map<string, Map<DirtyKind, string>>()

  acceptsVersion({ userAgent }: proto.ClientPayload): boolean {
    return Number(userAgent?.appVersion?.tertiary ?? 0) >= this.oldestVersion
  }

  formatNow(): string {
    return formatSeconds(Date.now() + this.clockAhead)
  }

  markDirty(number: string, kind: DirtyKind) {
    const kinds = this.#dirty.get(number) ?? new Map<DirtyKind, string>()
    this.#dirty.set(number, kinds.set(kind, this.formatNow()))
  }

  clearDirty(number: string, kind: string) {
    this.#dirty.get(number)?.delete(kind as DirtyKind)
  }

  /** One stanza for each kind, as clients expect it. */
  buildDirtyStanzas(number: string): Stanza[] {
    return [...(this.#dirty.get(number) ?? [])].map(([type, timestamp]) =>
      buildInformation(buildStanza('dirty', { type, timestamp })),
    )
  }

  clear() {
    this.oldestVersion = 0
    this.clockAhead = 0
    this.#dirty.clear()
  }
}

const ROUTING = 8

/** Where the client should knock the next time; it opens its next stream with these bytes. */
export function sendRouting({ socket }: Connection) {
  const routing = buildStanza('routing_info', {}, randomBytes(ROUTING))
  socket.send(buildInformation(buildStanza('edge_routing', {}, [routing])))
}

function buildInformation(child: Stanza): Stanza {
  return buildStanza('ib', { from: SERVER }, [child])
}
