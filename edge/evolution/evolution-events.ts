// Makes the webhooks of Evolution: for an event of the contract, those that it is here.

import { createJwt } from '../delivery/receiver-token.ts'
import { standardSigning } from '../delivery/signature.ts'
import type { EventFormat, Signing } from '../dialect/event-format.ts'
import { addSegment, createParts } from '../dialect/event-parts.ts'
import { fillWithFile } from '../hosts/webhook-files.ts'
import { readPairing } from '../sealed/pairings.ts'
import { type Env, readPublicOrigin } from '../settings/env.ts'
import { nameInstance } from './evolution-callers.ts'
import { isChosen } from './evolution-event-names.ts'
import { toOuterId, toSeconds } from './evolution-ids.ts'
import { addBase64 } from './evolution-message.ts'
import { describePairing, listSaid } from './evolution-payloads.ts'

/** Of a webhook of this form. */
export interface EvolutionOptions {
  /** Absent for all. */
  events?: string[]
  /** Each event at a path of its own. */
  byEvents?: boolean
  /** Messages with their files. */
  base64?: boolean
  /** Of the instance: whether its next linking asks for its whole past. */
  syncFullHistory?: boolean
}

/** A header of this name is the key of a token, which is sent in its place. */
const signing: Signing = {
  ...standardSigning,
  async convertHeaders({ jwt_key: key, ...headers }, atMs) {
    if (!key) return headers
    const iat = toSeconds(atMs)
    const token = await createJwt(key, { iat, exp: iat + 600, app: 'evolution', action: 'webhook' })
    return { ...headers, authorization: `Bearer ${token}` }
  },
}

/** `env`: complete when the first event comes. */
export const createEvolutionFormat = (env: Env): EventFormat => ({
  name: 'evolution',
  showsCodes: true,
  showsResults: false,
  signing,
  toParts(event, { store, instanceName: name, handle, receiver: { url = '', formatOptions } }) {
    const { events, byEvents, base64 }: EvolutionOptions = formatOptions ?? {}
    const instance = nameInstance({ id: event.instanceId, name, handle })
    const said = listSaid(event, instance).filter(
      (one) => event.type === 'test' || isChosen(events, one.name),
    )
    const common = {
      destination: url,
      date_time: new Date(event.at).toISOString(),
      sender: toOuterId(event.owner),
      server_url: `${readPublicOrigin(env) ?? env.LISTENS_AT ?? ''}/evolution`,
      // No token is stored so that it could be shown.
      apikey: null,
    }
    return createParts(event, said, {
      createUrl: (part) => (byEvents && url ? addSegment(url, part.replaceAll('.', '-')) : url),
      async createBody({ name, data: fixed, beside, file: message }, hold) {
        const data = event.beyond?.code ? await readCode() : fixed
        if (data === 'expired') return data
        const body = { event: name, instance, data, ...beside, ...common }
        if (!base64 || !message) return body
        return fillWithFile(
          env,
          { event, message },
          (text) => ({ ...body, data: addBase64(data, text) }),
          hold,
        )
      },
    })

    /** At each attempt: a code of the first one would have ended. */
    async function readCode() {
      const pairing = await readPairing(env, store, event.instanceId)
      return pairing ? { qrcode: { instance, ...describePairing(pairing) } } : 'expired'
    }
  },
})
