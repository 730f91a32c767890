// The file of a message as base64 in a response, which is sent while it comes.

import type { MessageRecord } from '@msgnet/shared/contract/message-requests.ts'
import type { Context } from 'hono'
import { callContract, openContract } from '../http/call-contract.ts'
import { type Fields, readObject, readText } from '../http/read-fields.ts'
import { renameBase64 } from '../media/base64-response.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import { findMediaType } from './evolution-content.ts'
import { createInvalid, EvolutionRefusal } from './evolution-errors.ts'

export async function getBase64(c: Context<EdgeEnv>, body: Fields): Promise<Response> {
  if (body.convertToMp4 === true) throw createInvalid('instance.convertToMp4 must be false')
  const id = readText(readObject(readObject(body.message).key).id)
  if (id === '') throw createInvalid('instance.message.key requires property "id"')
  const { content, text, ...record } = await findMessage(c, id)
  const { mimetype, fileName, fileLength, width, height } = content
  const head = {
    mediaType: findMediaType({ ...record, content, text }),
    fileName: fileName ?? id,
    caption: text,
    size: { fileLength: fileLength ?? null, height: height ?? null, width: width ?? null },
    mimetype,
    buffer: null,
  }
  return renameBase64(
    await openContract(c, 'downloadMessage', { body: { id, return_base64: true } }),
    head,
    201,
  )
}

async function findMessage(c: Context<EdgeEnv>, id: string): Promise<MessageRecord> {
  const { messages } = await callContract<{ messages: MessageRecord[] }>(c, 'findMessages', { body: { id } })
  const [record] = messages
  if (!record) throw new EvolutionRefusal(400, ['Message not found'])
  if (record.type !== 'media') throw new EvolutionRefusal(400, ['The message is not of the media type'])
  return record
}
