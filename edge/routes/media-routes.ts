// Handlers that send files, and fetch files of messages through the host, which can open them.

import { limits } from '@msgnet/shared/contract/limits.ts'
import { imageTypes, type MediaKind, viewOnceKinds } from '@msgnet/shared/contract/media-requests.ts'
import { Fault } from '@msgnet/shared/fault-table.ts'
import type { Context } from 'hono'
import { dispatchAction } from '../hosts/dispatch-action.ts'
import { requireInstanceToken } from '../http/auth.ts'
import { validateQuery } from '../http/parse-query.ts'
import type { Handlers } from '../http/serve-route.ts'
import { formatHolder, HeldBytes } from '../limits/held-bytes.ts'
import { createBase64Stream } from '../media/base64-response.ts'
import type { FetchedFile } from '../media/fetch-file.ts'
import { buildFileHeaders } from '../media/file-headers.ts'
import type { FileLabel } from '../media/file-name.ts'
import { labelDocument, nameByType } from '../media/file-types.ts'
import { findImageType } from '../media/image-type.ts'
import { type MediaInputRules, openMediaInput, validateMediaInput } from '../media/media-input.ts'
import { openLink, sealLink } from '../media/media-links.ts'
import { takeLongTexts } from '../media/request-body.ts'
import { withDownload, withUpload } from '../media/request-transfers.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import { readPublicOrigin } from '../settings/env.ts'
import { openStore } from '../store/database/open-store.ts'
import { findInstanceAndToken, type InstanceRow } from '../store/instance-queries.ts'
import { chooseDelay } from './message-delay.ts'
import {
  dispatchMessage,
  requireLoggedIn,
  requirePlaced,
  requireSendable,
  validateAfterSession,
  validateTime,
} from './session-dispatch.ts'

export const mediaHandlers = {
  async sendMedia(c, { body: { file, caption, ...fields } }) {
    const message = { ...fields, text: mergeCaption(fields.text, caption, 'caption') }
    if (message.viewOnce && !viewOnceKinds.includes(message.type))
      throw new Fault('invalid_body', `viewOnce is for ${viewOnceKinds.join(', ')} only.`)
    const instance = await validateAfterSession(
      () => requireSendable(c, message),
      () => validateMediaInput(c.env, file, buildInputTerms(c)),
    )
    const delay = chooseDelay(instance, message)
    const dispatchSend = (parcel: string, { mimetype, fileName: docName }: FileLabel) =>
      dispatchMessage(
        c,
        instance,
        'message.sendMedia',
        { ...message, docName, delay, mimetype, parcel },
        { delay },
      )
    // A recalled act has its file already.
    if (c.var.claim?.isRecall) return await dispatchSend('', noLabel)
    return withFile(c, instance, { file, fileName: message.docName, ...message }, dispatchSend)
  },

  async sendStatus(c, { body: { file, ...post } }) {
    validateTime(c, post)
    const instance = await validateAfterSession(
      () => requireLoggedIn(c),
      () => (post.type === 'text' ? undefined : validateMediaInput(c.env, file, buildInputTerms(c))),
    )
    const dispatchSend = (parcel: string, { mimetype }: FileLabel) =>
      dispatchMessage(c, instance, 'message.sendStatus', { ...post, parcel, mimetype })
    if (c.var.claim?.isRecall || post.type === 'text') return await dispatchSend('', noLabel)
    return withFile(c, instance, { file, type: post.type, ...noLabel }, dispatchSend)
  },

  async downloadMessage(c, { body }) {
    const { id, return_base64, return_link = !return_base64, generate_mp3: mp3 } = body
    const instance = requirePlaced(c)
    const { mimetype, fileLength } = await dispatchAction(c, instance, 'message.media', { id, mp3 })
    if (return_base64 && fileLength > limits.maxBase64Bytes) throw createTooLargeFault()
    const link = return_link && (await sealLink(c.env, c.var, id, mp3))
    const response = {
      mimetype,
      ...(link && { fileURL: `${readPublicOrigin(c.env) ?? new URL(c.req.url).origin}/media?file=${link}` }),
    }
    return return_base64 ? answerWithFile(c, response, { id, fileLength, mp3 }) : response
  },

  /** Serves a media link, usually to a browser. */
  async serveMedia(c, { query }) {
    validateQuery(c)
    const { instance, messageid, mp3 } = await findLinkedFile(c, query)
    c.set('instance', instance)
    const { mimetype, fileName } = await dispatchAction(c, requirePlaced(c), 'message.media', {
      id: messageid,
      mp3,
    })
    const body = await openFile(c, { id: messageid, mp3 })
    const id = nameByType(messageid, mimetype)
    return new Response(body, { headers: buildFileHeaders({ mimetype, fileName, id }) })
  },
} satisfies Partial<Handlers>

/** `field`: the name of the second. */
export function mergeCaption(text: string, caption: string, field: string): string {
  if (text !== '' && caption !== '' && text !== caption)
    throw new Fault('invalid_body', `${field} is the same field as text: give one of them.`)
  return text || caption
}

/** By the link's seal; once that has ended, by the token of the instance if the request has it. */
async function findLinkedFile(
  c: Context<EdgeEnv>,
  { file, id }: { file: string; id?: string | undefined },
): Promise<{ instance: InstanceRow; messageid: string; mp3: boolean }> {
  const token = c.req.header('token')
  if (token !== undefined && id !== undefined) {
    await requireInstanceToken({ tokenScope: 'read', chats: 'named' })(c, async () => undefined)
    return { instance: c.var.instance, messageid: id, mp3: false }
  }
  const link = await openLink(c.env, file)
  if (!link) throw createLinkFault()
  c.set('store', openStore(c.env))
  const found = await findInstanceAndToken(c.var.store, link)
  if (!found) throw new Fault('message_not_found')
  if (!found.isTokenValid) throw createLinkFault()
  return { instance: found.instance, messageid: link.messageid, mp3: link.mp3 }
}

const buildInputTerms = (c: Context<EdgeEnv>): MediaInputRules => ({
  field: 'file',
  invalid: 'invalid_body',
  tooLarge: 'body_too_large',
  instance: c.var.instance.id,
  maxBytes: limits.maxMediaBytes,
  longTexts: takeLongTexts(c),
})

/** What is requested of a file by itself, if anything is. */
interface FileRequest extends FileLabel {
  file: string
  type: MediaKind
}

const noLabel: FileLabel = { mimetype: '', fileName: '' }

/** Runs `dispatchSend` with the name under which the host can download the file, and with its label. */
async function withFile<Result>(
  c: Context<EdgeEnv>,
  instance: InstanceRow,
  request: FileRequest,
  dispatchSend: (parcel: string, label: FileLabel) => Promise<Result>,
): Promise<Result> {
  const input = await openMediaInput(c.env, request.file, buildInputTerms(c))
  try {
    const label = await labelFile(request, input)
    return await withUpload(c, instance, input.content, (parcel) => dispatchSend(parcel, label))
  } finally {
    input.closeInput()
  }
}

/** Checks the first bytes of an image or a sticker: they say what it is. */
async function labelFile(
  request: FileRequest,
  { content, first, ...source }: FetchedFile,
): Promise<FileLabel> {
  const { type, mimetype, fileName } = request
  if (type === 'document') return labelDocument(request, source, first)
  const takes = imageTypes[type]
  if (!takes) return { mimetype: mimetype || source.mimetype, fileName }
  const shown = findImageType(first) ?? ''
  if (takes.includes(shown)) return { mimetype: shown, fileName }
  await content.cancelBody()
  throw new Fault('unsupported_media_type', `file must be ${takes.join(', ')} for type ${type}.`)
}

interface StoredFile {
  id: string
  fileLength: number
  /** Whether a sound comes as MP3. */
  mp3: boolean
}

/** The response with the whole file in it, which is in memory while it is sent. */
async function answerWithFile(c: Context<EdgeEnv>, response: object, file: StoredFile): Promise<Response> {
  const heldBytes = new HeldBytes(c.env, formatHolder(c.var.actor))
  const release = () => heldBytes.release()
  c.req.raw.signal.addEventListener('abort', release)
  try {
    const chunks = await readFile(c, file, heldBytes)
    if (chunks.length > 0)
      return new Response(createBase64Stream(response, 'base64Data', chunks, release), {
        headers: { 'content-type': 'application/json' },
      })
  } catch (error) {
    release()
    throw error
  }
  release()
  return c.json(response)
}

async function readFile(
  c: Context<EdgeEnv>,
  { id, fileLength, mp3 }: StoredFile,
  heldBytes: HeldBytes,
): Promise<Uint8Array[]> {
  // The length in the message may be wrong: bytes beyond it are counted as they arrive.
  heldBytes.reserveBytes(fileLength)
  const { body, uploaded } = await downloadFile(c, { id, mp3 }, limits.maxBase64Bytes)
  // Awaited later: until then its failure must not count as unhandled.
  uploaded.catch(() => undefined)
  const chunks: Uint8Array[] = []
  let beyond = -fileLength
  try {
    for await (const chunk of body) {
      if (beyond + chunk.length > 0) heldBytes.reserveBytes(Math.min(chunk.length, beyond + chunk.length))
      beyond += chunk.length
      if (chunk.length > 0) chunks.push(chunk)
    }
  } catch (error) {
    if (error instanceof Fault) throw error
    // The host's response has the reason.
    await uploaded
    throw new Fault('media_unavailable')
  }
  // The end of the stream does not show whether the file was complete; the host's response does.
  await uploaded
  return chunks
}

/** The host counts the bytes, because the length in a message is not trusted. A stored file needs no login. */
const downloadFile = (c: Context<EdgeEnv>, { id, mp3 }: Pick<StoredFile, 'id' | 'mp3'>, atMost?: number) =>
  withDownload(c, requirePlaced(c), (parcel) =>
    dispatchAction(c, requirePlaced(c), 'message.download', {
      id,
      mp3,
      parcel,
      ...(atMost !== undefined && { atMost }),
    }),
  )

/** The bytes for a media link. HEAD asks only what the file is, so none are fetched. */
async function openFile(c: Context<EdgeEnv>, file: Pick<StoredFile, 'id' | 'mp3'>) {
  if (c.req.method === 'HEAD') return null
  const { body, uploaded } = await downloadFile(c, file)
  // The response has begun: a transfer that fails breaks it off, which the caller sees.
  c.executionCtx.waitUntil(uploaded.catch(() => undefined))
  return body
}

const createTooLargeFault = () =>
  new Fault('body_too_large', `Over ${limits.maxBase64Bytes} bytes a file comes by its link only.`)

const createLinkFault = () => new Fault('unauthorized', 'This link is not ours, or it has ended.')
