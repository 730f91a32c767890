// Formats events and their addresses for receivers and streams of the API family.

import { encodeUtf8 } from '../bytes.ts'
import { type EnvelopeSource, formatEnvelope } from '../delivery/envelope.ts'
import type { AddressSource } from './dialect.ts'
import { toFamilySpelling } from './family-spelling.ts'

/** `token`: of the instance; empty if it is not stored. */
export function formatFamilyEnvelope(
  event: EnvelopeSource,
  instanceName: string,
  { baseUrl, token }: { baseUrl: string; token: string },
): Uint8Array<ArrayBuffer> {
  const contractEnvelope = new TextDecoder().decode(formatEnvelope(event, instanceName))
  const familyEnvelope = toFamilySpelling(JSON.parse(contractEnvelope)) as object
  return encodeUtf8(JSON.stringify({ BaseUrl: baseUrl, ...familyEnvelope, token }))
}

/** The URL with the event's name and the message's type (`text`, `media`, …) added to its path, if the subscription has these options. */
export function formatFamilyAddress(
  { url, addUrlEvents, addUrlTypes }: AddressSource,
  { type, payload }: Pick<EnvelopeSource, 'type' | 'payload'>,
): string {
  const segments = [addUrlEvents ? type : '', addUrlTypes ? findMessageType(payload) : ''].filter(Boolean)
  if (segments.length === 0) return url
  const address = new URL(url)
  address.pathname = [address.pathname.replace(/\/$/, ''), ...segments.map(encodeURIComponent)].join('/')
  return address.href
}

/** The type of the message in an event; empty if there is none. */
export function findMessageType({ message }: Record<string, unknown>): string {
  const { type } = (message ?? {}) as { type?: unknown }
  return typeof type === 'string' ? type : ''
}
