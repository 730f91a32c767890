// Handlers that send files, and fetch files of messages through the host, which can open them.

import type { Context } from 'hono'
import { imageTypes, type MediaKind, viewedOnce } from '../../shared/contract/media.ts'
import { limits } from '../../shared/contract/version.ts'
import { Fault } from '../../shared/faults.ts'
import type { EdgeEnv } from '../context.ts'
import { publicOrigin } from '../env.ts'
import { HeldBytes, nameHolder } from '../held-bytes.ts'
import { act } from '../hosts/dispatch.ts'
import { judgeQuery } from '../http/query.ts'
import type { Handlers } from '../http/serve.ts'
import { streamWithBase64 } from '../media/base64-answer.ts'
import type { Content } from '../media/content.ts'
import { imageTypeOf, peek } from '../media/first-bytes.ts'
import { judgeMediaInput, type MediaInputTerms, openMediaInput } from '../media/input.ts'
import { hasEnded, openLink, sealLink } from '../media/links.ts'
import { takeLifted } from '../media/request-body.ts'
import { withDownload, withUpload } from '../media/transfers.ts'
import { openStore } from '../store/database/database.ts'
import { type InstanceRow, instanceById } from '../store/instances.ts'
import { delayOf } from './pacing.ts'
import { actNamed, judgedLast, loggedIn, placed, sendable } from './session-acts.ts'

export const mediaHandlers = {
  async sendMedia(c, { body: { file, ...message } }) {
    if (message.viewOnce && !viewedOnce.includes(message.type))
      throw new Fault('invalid_body', `viewOnce is for ${viewedOnce.join(', ')} only.`)
    const instance = judgedLast(
      () => sendable(c, message),
      () => judgeMediaInput(c.env, file, termsOf(c)),
    )
    const delay = delayOf(instance, message)
    const send = (parcel: string, mimetype: string) =>
      actNamed(c, instance, 'message.sendMedia', { ...message, delay, mimetype, parcel }, { delay })
    // A recalled act has its file already.
    if (c.var.claim?.recalling) return await send('', '')
    return withFile(c, instance, { file, ...message }, send)
  },

  async sendStatus(c, { body: { file, ...post } }) {
    const instance = judgedLast(
      () => loggedIn(c),
      () => (post.type === 'text' ? undefined : judgeMediaInput(c.env, file, termsOf(c))),
    )
    const send = (parcel: string, mimetype: string) =>
      actNamed(c, instance, 'message.sendStatus', { ...post, parcel, mimetype })
    if (c.var.claim?.recalling || post.type === 'text') return await send('', '')
    return withFile(c, instance, { file, type: post.type, mimetype: '' }, send)
  },

  async downloadMessage(c, { body }) {
    const { id, return_base64, return_link = !return_base64 } = body
    const instance = placed(c)
    const { mimetype, fileLength } = await act(c, instance, 'message.media', { id })
    if (return_base64 && fileLength > limits.base64Bytes) throw tooLarge()
    const link = return_link && (await sealLink(c.env, { instance, tokenHash: c.var.tokenHash }, id))
    const answer = {
      mimetype,
      ...(link && { fileURL: `${publicOrigin(c.env) ?? new URL(c.req.url).origin}/media?file=${link}` }),
    }
    return return_base64 ? answerWithFile(c, answer, { id, fileLength }) : answer
  },

  /** Serves a media link, usually to a browser. */
  async serveMedia(c, { query }) {
    judgeQuery(c)
    const link = await openLink(c.env, query.file)
    if (!link) throw notOurs()
    c.set('store', openStore(c.env))
    const instance = await instanceById(c.var.store, link.instance)
    if (!instance) throw new Fault('message_not_found')
    if (hasEnded(link, instance)) throw notOurs()
    c.set('instance', instance)
    const { mimetype, fileName } = await act(c, instance, 'message.media', { id: link.messageid })
    const { body, uploaded } = await fileOf(c, link.messageid)
    c.executionCtx.waitUntil(uploaded.catch(() => undefined))
    const name = encodeURIComponent((fileName || link.messageid).toWellFormed()).replaceAll("'", '%27')
    return new Response(body, {
      headers: {
        // The sender's value too: characters that could break a header are not passed on.
        'content-type': /^[\x20-\x7e]{1,255}$/.test(mimetype) ? mimetype : 'application/octet-stream',
        // A stranger's file on our origin must be saved and never run.
        'content-disposition': `attachment; filename*=UTF-8''${name}`,
        'content-security-policy': "default-src 'none'; sandbox",
        'cache-control': 'private, no-store',
      },
    })
  },
} satisfies Partial<Handlers>

const termsOf = (c: Context<EdgeEnv>): MediaInputTerms => ({
  ...{ field: 'file', broken: 'invalid_body', tooLarge: 'body_too_large' },
  ...{ instance: c.var.instance.id, atMost: limits.mediaBytes, lifted: takeLifted(c) },
})

/** Runs `send` with the name under which the host can download the file, and with its type. */
async function withFile<Result>(
  c: Context<EdgeEnv>,
  instance: InstanceRow,
  { file, type, mimetype }: { file: string; type: MediaKind; mimetype: string },
  send: (parcel: string, mimetype: string) => Promise<Result>,
): Promise<Result> {
  const input = await openMediaInput(c.env, file, termsOf(c))
  try {
    const shown = await judge(type, input.content)
    return await withUpload(c, instance, input.content, (parcel) =>
      send(parcel, shown || mimetype || input.mimetype),
    )
  } finally {
    input.close()
  }
}

/** Checks the first bytes of an image or a sticker, and returns the type that they say. */
async function judge(type: MediaKind, content: Content): Promise<string> {
  const takes = imageTypes[type]
  if (!takes) return ''
  const shown = imageTypeOf(await content.peek(peek)) ?? ''
  if (takes.includes(shown)) return shown
  await content.cancel()
  throw new Fault('unsupported_media_type', `file must be ${takes.join(', ')} for type ${type}.`)
}

/** The answer with the whole file in it, which is in memory as long as it is sent. */
async function answerWithFile(
  c: Context<EdgeEnv>,
  answer: object,
  file: { id: string; fileLength: number },
): Promise<Response> {
  const held = new HeldBytes(c.env, nameHolder(c.var.actor))
  const release = () => held.release()
  c.req.raw.signal.addEventListener('abort', release)
  try {
    const chunks = await readFile(c, file, held)
    if (chunks.length > 0)
      return new Response(streamWithBase64(answer, 'base64Data', chunks, release), {
        headers: { 'content-type': 'application/json' },
      })
  } catch (error) {
    release()
    throw error
  }
  release()
  return c.json(answer)
}

async function readFile(
  c: Context<EdgeEnv>,
  { id, fileLength }: { id: string; fileLength: number },
  held: HeldBytes,
): Promise<Uint8Array[]> {
  // What the message says may be wrong: what comes beyond it is counted as it comes.
  held.add(fileLength)
  const { body, uploaded } = await fileOf(c, id, limits.base64Bytes)
  uploaded.catch(() => undefined)
  const chunks: Uint8Array[] = []
  let beyond = -fileLength
  try {
    for await (const chunk of body) {
      if (beyond + chunk.length > 0) held.add(Math.min(chunk.length, beyond + chunk.length))
      beyond += chunk.length
      if (chunk.length > 0) chunks.push(chunk)
    }
  } catch (error) {
    if (error instanceof Fault) throw error
    // The host's answer says why it broke.
    await uploaded
    throw new Fault('media_unavailable')
  }
  // The end of the stream does not show whether the file was complete; the host's answer does.
  await uploaded
  return chunks
}

/** The host counts the bytes, because the length in a message comes from a stranger. */
const fileOf = (c: Context<EdgeEnv>, id: string, atMost?: number) =>
  withDownload(c, loggedIn(c), (parcel) =>
    act(c, loggedIn(c), 'message.download', { id, parcel, ...(atMost !== undefined && { atMost }) }),
  )

const tooLarge = () =>
  new Fault('body_too_large', `Over ${limits.base64Bytes} bytes a file comes by its link only.`)

const notOurs = () => new Fault('unauthorized', 'This link is not ours, or it has ended.')
