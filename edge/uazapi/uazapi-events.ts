// Makes the events of uazapi: each in its words, and after an edit or a vote the message that results from it.

import {
  derivePartId,
  type EventFormat,
  type EventSource,
  type FormatTarget,
  type Part,
} from '../dialect/event-format.ts'
import { readPairing } from '../sealed/pairings.ts'
import { type Env, readPublicOrigin } from '../settings/env.ts'
import { matchFilters } from '../store/events/ingest-reports.ts'
import { isStatusPost } from '../store/events/wanted-events.ts'
import { readToken } from './sealed-tokens.ts'
import { formatUazapiAddress, formatUazapiEnvelope } from './uazapi-envelopes.ts'

/** `env`: complete when the first event comes. */
export const createUazapiFormat = (env: Env): EventFormat => ({
  name: 'uazapi',
  showsCodes: true,
  showsToken: true,
  showsResults: true,
  async toParts(event, target) {
    const result = await findResult(event)
    return [event, ...(result ? [result] : [])]
      .filter((source) => isChosen(source, target))
      .map((source) => createPart(env, source, target))
  },
})

/** The message that results from an edit or a vote, as an event. */
async function findResult(event: EventSource): Promise<EventSource | undefined> {
  const payload = event.beyond?.result
  return payload && { ...event, id: await derivePartId(event.id, 'as a message'), type: 'messages', payload }
}

function isChosen({ type, payload }: EventSource, { receiver }: FormatTarget): boolean {
  const { events, excludeMessages } = receiver
  // A test is for whoever asked for it.
  const name = isStatusPost(type, payload) ? 'status_posts' : type
  if (type !== 'test' && events && !events.includes(name)) return false
  return type !== 'messages' || !matchFilters(type, payload).some((name) => excludeMessages?.includes(name))
}

const createPart = (
  env: Env,
  event: EventSource,
  { store, instanceName, receiver: { url = '', addUrlEvents = false, addUrlTypes = false } }: FormatTarget,
): Part => ({
  id: event.id,
  url: url && formatUazapiAddress({ url, addUrlEvents, addUrlTypes }, event),
  async createBody() {
    const token = await readToken(env, store, event.instanceId)
    const baseUrl = readPublicOrigin(env) ?? env.LISTENS_AT ?? ''
    // Read at each attempt: a code of the first one would have ended.
    const pairing = isBeingLinked(event) ? await readPairing(env, store, event.instanceId) : undefined
    if (event.beyond?.code && !pairing) return 'expired'
    return formatUazapiEnvelope(event, instanceName, { baseUrl, token, pairing })
  },
})

const isBeingLinked = ({ type, payload }: EventSource): boolean =>
  type === 'connection' && payload.status === 'connecting'
