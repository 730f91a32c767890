// The posted form of an event. The same event gives the same bytes at every attempt, unless its instance was renamed in between.

import type { events } from '@msgnet/shared/db/edge-tables.ts'
import { encodeUtf8 } from '../runtime/bytes.ts'

export type EnvelopeSource = Pick<
  typeof events.$inferSelect,
  'id' | 'instanceId' | 'seq' | 'type' | 'owner' | 'at' | 'payload'
>

/** Made only of the stored event, which never changes, and of the present name of its instance. */
export function formatEnvelope(event: EnvelopeSource, instanceName: string): Uint8Array<ArrayBuffer> {
  const { instanceId, payload, type } = event
  const ownFields = {
    EventType: type,
    eventId: event.id,
    seq: event.seq,
    instanceId,
    instanceName,
    owner: event.owner,
    timestamp: event.at,
  }
  const payloadFields = type === 'connection' ? describeConnection(event, instanceName) : payload
  // The envelope's own fields come first and win: a payload may get a field of the same name later.
  return encodeUtf8(JSON.stringify({ ...ownFields, ...payloadFields, ...ownFields }))
}

function describeConnection({ instanceId: id, payload }: EnvelopeSource, name: string) {
  const { gap, ...state } = payload
  return { instance: { id, name, ...state }, ...(gap !== undefined && { gap }) }
}

/** In the form of the API family an envelope has the instance's token and codes that link a device, which are for nobody but its own token. */
export function hideCredentials({
  token,
  instance,
  ...envelope
}: Record<string, unknown>): Record<string, unknown> {
  const codes = typeof instance === 'object' &&
    instance &&
    'qrcode' in instance && { qrcode: '', paircode: '' }
  return {
    ...envelope,
    ...(instance !== undefined && { instance: codes ? { ...(instance as object), ...codes } : instance }),
    ...(token !== undefined && { token: '' }),
  }
}
