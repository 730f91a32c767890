// Files of the Cloud API: those that are uploaded before they are sent, and those of messages.

import { limits } from '@msgnet/shared/contract/limits.ts'
import type { MessageRecord } from '@msgnet/shared/contract/message-requests.ts'
import { Fault } from '@msgnet/shared/fault-table.ts'
import type { Context } from 'hono'
import { chargeUpload } from '../http/body-costs.ts'
import { callContract } from '../http/call-contract.ts'
import type { DialectInput } from '../http/dialect-app.ts'
import { FORM_BYTES, readForm } from '../http/read-form.ts'
import { buildFileHeaders } from '../media/file-headers.ts'
import { labelDocument, readMediaType } from '../media/file-types.ts'
import { openLink, sealLink } from '../media/media-links.ts'
import { storeFile, streamFile } from '../media/uploaded-files.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import { LongTexts } from '../runtime/long-texts.ts'
import { readPublicOrigin } from '../settings/env.ts'
import { openStore } from '../store/database/open-store.ts'
import { findInstanceAndToken } from '../store/instance-queries.ts'
import { deleteFile, findFile } from '../store/uploaded-file-queries.ts'
import { CloudRefusal } from './cloud-errors.ts'
import { isNamedBy, requireNamed } from './cloud-instances.ts'
import { removePrefix } from './cloud-message-ids.ts'

type EdgeContext = Context<EdgeEnv>

/** Enough of a file to see what it is. */
const FIRST_BYTES = 12

export async function uploadFile(c: EdgeContext, { params }: DialectInput) {
  requireNamed(c, params.pn)
  const form = await readForm(c, limits.maxUploadBytes + FORM_BYTES)
  const file = form.get('file') as string | File | null
  if (file === null || typeof file === 'string')
    throw new CloudRefusal(131008, 'Required parameter is missing', 'file is missing.')
  if (file.size === 0) throw new CloudRefusal(131053, 'Media upload error', 'file is empty.')
  if (file.size > limits.maxUploadBytes) throw new Fault('body_too_large', 'file is too large.')
  chargeUpload(c, c.var.actor, file.size)
  const bytes = new Uint8Array(await file.arrayBuffer())
  const mimetype = readMediaType(String(form.get('type') ?? '')) || readMediaType(file.type)
  const label = labelDocument({ mimetype, fileName: file.name }, noLabel, bytes.subarray(0, FIRST_BYTES))
  return { id: await storeFile(c, bytes, label) }
}

const noLabel = { mimetype: '', fileName: '' }

/** Of the instance of the caller. What others have stored may be for any chat, so a token for some chats has its own only. */
function findUpload({ var: { store, instance, actor } }: EdgeContext, id: string) {
  const tokenId = actor.grant?.chats ? actor.grant.id : undefined
  return findFile(store, instance.id, id, tokenId)
}

/** Its URL needs no credential, and ends after a day. */
export async function describeFile(c: EdgeContext, name: string) {
  const file = await findUpload(c, name)
  if (!file) return describeMessageFile(c, name)
  const { id, mimetype, sha256, size } = file
  const query = new URLSearchParams({ file: await sealLink(c.env, c.var, id) })
  const origin = readPublicOrigin(c.env) ?? new URL(c.req.url).origin
  return {
    messaging_product: 'whatsapp',
    url: `${origin}/graph/${id}/content?${query}`,
    mime_type: mimetype,
    sha256,
    file_size: size,
    id,
  }
}

/** The id of the file of a message is that of the message. */
async function describeMessageFile(c: EdgeContext, name: string) {
  const id = removePrefix(name)
  const [{ messages }, { mimetype, fileURL }] = await Promise.all([
    callContract<{ messages: MessageRecord[] }>(c, 'findMessages', { body: { id } }),
    callContract<{ mimetype: string; fileURL: string }>(c, 'downloadMessage', { body: { id } }),
  ])
  const { fileLength, fileSha256 } = messages[0]?.content ?? {}
  return {
    messaging_product: 'whatsapp',
    url: fileURL,
    mime_type: mimetype,
    ...(typeof fileSha256 === 'string' && { sha256: fileSha256 }),
    file_size: Number(fileLength ?? 0),
    id: name,
  }
}

/** By the seal of its URL. */
export async function serveFile(c: EdgeContext, { params, query }: DialectInput): Promise<Response> {
  const link = await openLink(c.env, query.file ?? '')
  if (!link || link.messageid !== params.id) throw createLinkFault()
  const store = openStore(c.env)
  const found = await findInstanceAndToken(store, link)
  if (!found?.isTokenValid) throw createLinkFault()
  const file = await findFile(store, link.instance, link.messageid)
  if (!file) throw new Fault('message_not_found')
  const headers = { ...buildFileHeaders(file), 'content-length': String(file.size) }
  return new Response(streamFile(c.env, store, file), { headers })
}

const createLinkFault = () => new Fault('unauthorized', 'This link is not ours, or it has ended.')

/** The files of messages belong to the account. */
export async function removeFile(c: EdgeContext, { params: { id = '' } }: DialectInput) {
  const file = isNamedBy(c.var.instance, id) ? undefined : await findUpload(c, id)
  if (!file)
    throw new CloudRefusal(100, 'Invalid parameter', `No uploaded file has the ID '${id.slice(0, 100)}'.`)
  await c.var.store.write([deleteFile(c.var.store, file.id)])
  return { success: true }
}

/** The fields of the contract for a file that was uploaded, or that a message has. */
export async function toSentFile(c: EdgeContext, name: string) {
  const file = await findUpload(c, name)
  if (!file) return toForwardedFile(c, removePrefix(name))
  const texts = c.var.longTexts ?? new LongTexts()
  c.set('longTexts', texts)
  const { mimetype, fileName } = file
  return { file: texts.addFile(streamFile(c.env, c.var.store, file)), mimetype, docName: fileName }
}

async function toForwardedFile(c: EdgeContext, id: string) {
  const { mimetype, base64Data } = await callContract<{ mimetype: string; base64Data: string }>(
    c,
    'downloadMessage',
    { body: { id, return_base64: true } },
  )
  return { file: base64Data, mimetype: readMediaType(mimetype) }
}
