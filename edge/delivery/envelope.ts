// The posted form of an event. The same event gives the same bytes at every attempt.

import type { events } from '../../shared/db/edge-tables.ts'
import { utf8 } from '../bytes.ts'

export type EnvelopeSource = Pick<
  typeof events.$inferSelect,
  'id' | 'instanceId' | 'seq' | 'type' | 'owner' | 'at' | 'payload'
>

/** Made only of data that never changes: the stored event, and the instance's name, which cannot be renamed. */
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
  // The envelope's own fields come first and win: a payload may get a field of the same name later.
  return utf8(JSON.stringify({ ...ours, ...theirs, ...ours }))
}
