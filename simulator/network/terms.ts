// The terms on which the network takes clients: the oldest version that it accepts, its clock, and what clients must fetch anew.
import { randomBytes } from 'node:crypto'
import type { proto } from '../codec/protobuf.ts'
import { type Stanza, stanza } from '../codec/stanza.ts'
import { SERVER } from './address.ts'
import type { Connection } from './connections.ts'
import { seconds } from './stamps.ts'

/** What a client's copy may be out of date in. */
export const dirtyKinds = ['groups', 'account_sync'] as const
export type DirtyKind = (typeof dirtyKinds)[number]

export class Terms {
  /** The last part of the oldest version that may log in; 0 takes all. */
  oldestVersion = 0
  /** Milliseconds that the network's clock is ahead of this machine's. */
  clockAhead = 0
  /** By account: what its companions hold is out of date until they say that they have fetched it. */
  readonly #dirty = new Map<string, Map<DirtyKind, string>>()

  takes({ userAgent }: proto.ClientPayload): boolean {
    return Number(userAgent?.appVersion?.tertiary ?? 0) >= this.oldestVersion
  }

  now(): string {
    return seconds(Date.now() + this.clockAhead)
  }

  soil(number: string, kind: DirtyKind) {
    const kinds = this.#dirty.get(number) ?? new Map<DirtyKind, string>()
    this.#dirty.set(number, kinds.set(kind, this.now()))
  }

  clean(number: string, kind: string) {
    this.#dirty.get(number)?.delete(kind as DirtyKind)
  }

  /** One stanza for each kind, as clients expect it. */
  dirt(number: string): Stanza[] {
    return [...(this.#dirty.get(number) ?? [])].map(([type, timestamp]) =>
      information(stanza('dirty', { type, timestamp })),
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
  const routing = stanza('routing_info', {}, randomBytes(ROUTING))
  socket.send(information(stanza('edge_routing', {}, [routing])))
}

function information(child: Stanza): Stanza {
  return stanza('ib', { from: SERVER }, [child])
}
