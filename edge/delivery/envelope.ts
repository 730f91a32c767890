// The posted form of an event. The same event gives the same bytes at every attempt.

import type { events } from '../../shared/db/edge-tables.ts'
import { utf8 } from '../bytes.ts'

export type EnvelopeSource = Pick<
  typeof events.$inferSelect,
  'id' | 'instanceId' | 'seq' | 'type' | 'owner' | 'at' | 'payload'
>

/** Made of what never changes: the event as it was kept, and the instance's name, which cannot be renamed. */
export function envelope(event: EnvelopeSource, instanceName: string): Uint8Array<ArrayBuffer> {
  const { instanceId, payload, type } = event
  const ours = {
    EventType: type,
    eventId: event.id,
    seq: event.seq,
    instanceId,
    instanceName,
    owner: event.owner,
    timestamp: event.at,
  }
  const theirs =
    type === 'connection' ? { instance: { id: instanceId, name: instanceName, ...payload } } : payload
  // Ours come first and win: a payload that grows a field of the same name must not displace them.
  return utf8(JSON.stringify({ ...ours, ...theirs, ...ours }))
}
