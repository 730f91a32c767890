// Makes the webhooks of Evolution: for an event of the contract, those that it is here.

import {
  type Bytes,
  derivePartId,
  type EventFormat,
  type EventSource,
  type FormatTarget,
  type Part,
} from '../dialect/event-format.ts'
import { encodeUtf8 } from '../runtime/bytes.ts'
import { readPairing } from '../sealed/pairings.ts'
import { type Env, readPublicOrigin } from '../settings/env.ts'
import { nameInstance } from './evolution-callers.ts'
import { isChosen } from './evolution-event-names.ts'
import type { Said } from './evolution-group-payloads.ts'
import { toOuterId } from './evolution-ids.ts'
import { describeQrCode, listSaid } from './evolution-payloads.ts'

/** Of a webhook of this form. */
export interface EvolutionOptions {
  /** Absent for all. */
  events?: string[]
  /** Each event at a path of its own. */
  byEvents?: boolean
}

/** `env`: complete when the first event comes. */
export const createEvolutionFormat = (env: Env): EventFormat => ({
  name: 'evolution',
  showsCodes: true,
  showsResults: false,
  async toParts(event, target) {
    const instance = nameTarget(event, target)
    const options = readOptions(target)
    const said = listSaid(event, instance).filter(
      ({ name }) => event.type === 'test' || isChosen(options.events, name),
    )
    return Promise.all(
      said.map((one, place) => createPart(env, { event, target, instance, options, place }, one)),
    )
  },
})

const readOptions = ({ receiver }: FormatTarget): EvolutionOptions => receiver.formatOptions ?? {}

const nameTarget = ({ instanceId: id }: EventSource, { instanceName: name, handle }: FormatTarget): string =>
  nameInstance({ id, name, handle })

interface PartContext {
  event: EventSource
  target: FormatTarget
  instance: string
  options: EvolutionOptions
  /** Among the parts of the event. */
  place: number
}

async function createPart(env: Env, context: PartContext, said: Said): Promise<Part> {
  const { event, target, options, place } = context
  const { url = '' } = target.receiver
  return {
    id: place === 0 ? event.id : await derivePartId(event.id, `${said.name} ${place}`),
    url: options.byEvents && url ? addEvent(url, said.name) : url,
    async createBody() {
      if (!event.beyond?.code) return encodeBody(env, context, said)
      // Read at each attempt: a code of the first one would have ended.
      const pairing = await readPairing(env, target.store, event.instanceId)
      if (!pairing) return 'expired'
      return encodeBody(env, context, {
        ...said,
        data: { qrcode: describeQrCode(context.instance, pairing) },
      })
    },
  }
}

function addEvent(destination: string, name: string): string {
  const url = new URL(destination)
  url.pathname = `${url.pathname.replace(/\/$/, '')}/${name.replaceAll('.', '-')}`
  return url.href
}

const encodeBody = (
  env: Env,
  { event, target, instance }: PartContext,
  { name, data, beside }: Said,
): Bytes =>
  encodeUtf8(
    JSON.stringify({
      event: name,
      instance,
      data,
      ...beside,
      destination: target.receiver.url ?? '',
      date_time: new Date(event.at).toISOString(),
      sender: toOuterId(event.owner),
      server_url: `${readPublicOrigin(env) ?? env.LISTENS_AT ?? ''}/evolution`,
      // No token is stored so that it could be shown.
      apikey: null,
    }),
  )
