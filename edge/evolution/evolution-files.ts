// The file of a message as base64 in a response, which is sent while it comes.

import type { MessageRecord } from '@msgnet/shared/contract/message-requests.ts'
import { Fault } from '@msgnet/shared/fault-table.ts'
import type { Context } from 'hono'
import { ContractRefusal, callContract, openContract } from '../http/call-contract.ts'
import type { DialectInput } from '../http/dialect-app.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import { encodeUtf8 } from '../runtime/bytes.ts'
import { readObject, readText } from './evolution-bodies.ts'
import { findMediaType } from './evolution-content.ts'
import { createInvalid, EvolutionRefusal } from './evolution-errors.ts'

export async function getBase64(c: Context<EdgeEnv>, { body }: DialectInput): Promise<Response> {
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
  return replaceHead(await openFile(c, id), head)
}

async function findMessage(c: Context<EdgeEnv>, id: string): Promise<MessageRecord> {
  const { messages } = await callContract<{ messages: MessageRecord[] }>(c, 'findMessages', { body: { id } })
  const [record] = messages
  if (!record) throw new EvolutionRefusal(400, ['Message not found'])
  if (record.type !== 'media') throw new EvolutionRefusal(400, ['The message is not of the media type'])
  return record
}

async function openFile(c: Context<EdgeEnv>, id: string): Promise<Response> {
  try {
    return await openContract(c, 'downloadMessage', { body: { id, return_base64: true } })
  } catch (error) {
    if (error instanceof ContractRefusal && error.body.error === 'message_not_found')
      throw new EvolutionRefusal(400, ['Message not found'])
    throw error
  }
}

/** In front of the file in the response of the contract, whose last field it is. */
const MARK = '"base64Data":"'

/** The same response with these fields in front of its file, none of which is in memory at once. */
function replaceHead(response: Response, head: object): Response {
  if (!response.body) throw new Fault('media_unavailable')
  let before: string | undefined = ''
  const decoder = new TextDecoder()
  const change = new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, controller) {
      if (before === undefined) return controller.enqueue(piece)
      before += decoder.decode(piece, { stream: true })
      const at = before.indexOf(MARK)
      if (at < 0) return
      const start = `${JSON.stringify(head).slice(0, -1)},"base64":"`
      controller.enqueue(encodeUtf8(start + before.slice(at + MARK.length)))
      before = undefined
    },
    flush(controller) {
      // The file of the message is empty.
      if (before !== undefined) controller.enqueue(encodeUtf8(JSON.stringify({ ...head, base64: '' })))
    },
  })
  return new Response(response.body.pipeThrough(change), {
    status: 201,
    headers: { 'content-type': 'application/json' },
  })
}
