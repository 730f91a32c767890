// Sends what is neither a text nor a file: places, contacts, reactions, polls.

import type { Context } from 'hono'
import type { DialectInput } from '../http/dialect-app.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import { isObject, readObject, readText, requireFields } from './evolution-bodies.ts'
import { createInvalid } from './evolution-errors.ts'
import { toOwnId } from './evolution-ids.ts'
import { readSendOptions, send } from './evolution-sends.ts'

export async function sendLocation(c: Context<EdgeEnv>, { body }: DialectInput) {
  const fields = { ...readObject(body.locationMessage), ...body }
  requireFields(fields, 'number', 'latitude', 'longitude')
  return send(c, 'sendLocation', {
    ...readSendOptions(body),
    // Some programs write them as texts.
    latitude: Number(fields.latitude),
    longitude: Number(fields.longitude),
    name: readText(fields.name),
    address: readText(fields.address),
  })
}

export async function sendContact(c: Context<EdgeEnv>, { body }: DialectInput) {
  const list = body.contact ?? body.contactMessage
  const cards = Array.isArray(list) ? list.filter(isObject) : []
  requireFields(body, 'number')
  const [card] = cards
  if (!card || cards.length > 1) throw createInvalid('instance.contact must have one contact')
  requireFields(card, 'fullName')
  const { fullName, phoneNumber, wuid, organization, email, url } = card
  return send(c, 'sendContact', {
    ...readSendOptions(body),
    fullName: readText(fullName),
    phoneNumber: readText(phoneNumber) || readText(wuid),
    organization: readText(organization),
    email: readText(email),
    url: readText(url),
  })
}

/** An empty reaction removes the present one. */
export async function sendReaction(c: Context<EdgeEnv>, { body }: DialectInput) {
  const fields = { ...readObject(body.reactionMessage), ...body }
  const { id, remoteJid } = readObject(fields.key)
  if (!id || !remoteJid) throw createInvalid('instance.key requires property "id" and property "remoteJid"')
  if (typeof fields.reaction !== 'string') throw createInvalid('instance requires property "reaction"')
  return send(c, 'reactToMessage', { number: toOwnId(remoteJid), id, text: fields.reaction })
}

export async function sendPoll(c: Context<EdgeEnv>, { body }: DialectInput) {
  const fields = { ...readObject(body.pollMessage), ...body }
  requireFields(fields, 'number', 'name', 'selectableCount', 'values')
  return send(c, 'sendMenu', {
    ...readSendOptions(body),
    type: 'poll',
    text: readText(fields.name),
    choices: fields.values,
    selectableCount: Number(fields.selectableCount),
  })
}
