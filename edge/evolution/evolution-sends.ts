// Sends messages by the routes of the contract. Each answers the message, which the network has taken.

import { limits } from '@msgnet/shared/contract/limits.ts'
import type { MediaKind } from '@msgnet/shared/contract/media-requests.ts'
import type { MessageRecord } from '@msgnet/shared/contract/message-requests.ts'
import type { Context } from 'hono'
import { callContract } from '../http/call-contract.ts'
import type { DialectInput } from '../http/dialect-app.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import { type Body, isObject, readObject, readText, requireFields } from './evolution-bodies.ts'
import { createInvalid } from './evolution-errors.ts'
import { toOwnId } from './evolution-ids.ts'
import { toEvolutionMessage } from './evolution-message.ts'

type SendRoute = 'sendText' | 'sendMedia' | 'sendLocation' | 'sendContact' | 'reactToMessage' | 'sendMenu'

/** `body`: of the contract's route. */
export async function send(c: Context<EdgeEnv>, route: SendRoute, body: object) {
  const record = await callContract<MessageRecord>(c, route, { body, isKeyed: true })
  return toEvolutionMessage(record, c.var.instance.id, 'PENDING')
}

/** What all sends take. 1.x had it in `options`. */
export function readSendOptions({ number, options, ...fields }: Body): object {
  const { delay, quoted, mentions, mentionsEveryOne, everyOne, mentioned, linkPreview } = {
    ...readObject(options),
    ...fields,
  } as Body
  const { everyOne: everyOneOf1, mentioned: mentionedOf1 } = readObject(mentions)
  const replyid = readText(readObject(readObject(quoted).key).id)
  const people = [mentioned, mentionedOf1].find((list) => Array.isArray(list) && list.length > 0)
  const isForAll = [mentionsEveryOne, everyOne, everyOneOf1].includes(true)
  return {
    number: toOwnId(number),
    ...(Number(delay) > 0 && { delay: Math.min(Math.floor(Number(delay)), limits.maxSendDelayMs) }),
    ...(replyid !== '' && { replyid }),
    ...(isForAll
      ? { mentions: 'all' }
      : people !== undefined && { mentions: (people as unknown[]).map(toOwnId) }),
    ...(typeof linkPreview === 'boolean' && { linkPreview }),
  }
}

/** The fields of the message itself, which 1.x had in an object of this name. */
const merge = (body: Body, name: string): Body => ({ ...readObject(body[name]), ...body })

export async function sendText(c: Context<EdgeEnv>, { body }: DialectInput) {
  const fields = merge(body, 'textMessage')
  requireFields(fields, 'number', 'text')
  return send(c, 'sendText', { ...readSendOptions(body), text: readText(fields.text) })
}

const mediaKinds: readonly string[] = ['image', 'video', 'document', 'audio']

export async function sendMedia(c: Context<EdgeEnv>, { body }: DialectInput) {
  const fields = merge(body, 'mediaMessage')
  requireFields(fields, 'number', 'mediatype', 'media')
  const kind = readText(fields.mediatype)
  if (!mediaKinds.includes(kind))
    throw createInvalid(`instance.mediatype is not one of enum values: ${mediaKinds.join(',')}`)
  return sendFile(c, body, {
    type: kind as MediaKind,
    file: readText(fields.media),
    // The first bytes of a picture decide, whatever the caller thinks it is.
    ...(kind !== 'image' && { mimetype: readText(fields.mimetype) }),
    text: readText(fields.caption),
    ...(kind === 'document' && { docName: readText(fields.fileName) }),
  })
}

/** A route that sends a file of one kind. `field`: which has the file; `wrapper`: the object in which 1.x had it. */
export const createFileSender =
  (type: MediaKind, field: string, wrapper = '') =>
  async (c: Context<EdgeEnv>, { body }: DialectInput) => {
    const fields = merge(body, wrapper)
    requireFields(fields, 'number', field)
    return sendFile(c, body, { type, file: readText(fields[field]) })
  }

async function sendFile(
  c: Context<EdgeEnv>,
  body: Body,
  file: { type: MediaKind; file: string; text?: string },
) {
  if (isObject(body.options) && body.options.encoding === false && file.type === 'ptt')
    return send(c, 'sendMedia', { ...readSendOptions(body), ...file, type: 'audio' })
  return send(c, 'sendMedia', { ...readSendOptions(body), ...file })
}
