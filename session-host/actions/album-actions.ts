// Sends an album: its files are uploaded first, then the message that counts them, then one message for each, up to the first that fails.

import { Readable } from 'node:stream'
import type { AlbumSent, MessageRecord } from '@msgnet/shared/contract/responses/message-responses.ts'
import { formatFieldPath } from '@msgnet/shared/contract/validation-message.ts'
import { createMessageId } from '@msgnet/shared/random-tokens.ts'
import { FramedFiles } from '@msgnet/shared/wire/framed-files.ts'
import { createDoneOutcome, type Outcome } from '@msgnet/shared/wire/outcome.ts'
import type { ActionInput } from '@msgnet/shared/wire/session-actions.ts'
import type { Connection, ContentToSend, FileToSend, StoredFile } from '../driver/driver.ts'
import { uploadFile } from '../driver/media-network.ts'
import type { SpaceShare } from '../media/temporary-space.ts'
import { type ActionContext, type ActionTable, limitToWhatLeft } from './action.ts'
import { createThrownOutcome, recordEnd } from './end-act.ts'
import { toUploadRefusal } from './media-actions.ts'
import { presetTypes } from './media-types.ts'
import { fileMissing, prepareFile } from './outgoing-files.ts'
import { sendNewMessage } from './send-message.ts'

type AlbumRequest = ActionInput<'message.sendAlbum'>
type FailedOutcome = Exclude<Outcome, { kind: 'done' }>

interface UploadedFile {
  file: FileToSend
  stored: StoredFile
}

export const albumActions: Pick<ActionTable<'message'>, 'message.sendAlbum'> = {
  async 'message.sendAlbum'(context, request) {
    // The outcome is that of all its messages, and is not stored with the first.
    const own = { ...context, outcomeCommit: undefined }
    const share = context.mediaJobs.space.openShare(context.session.instance)
    let uploaded: UploadedFile[] = []
    try {
      const album = await sendNewMessage(
        own,
        request,
        (about) => ({ kind: 'album' as const, ...countFiles(request), ...about }),
        async (network, content) => {
          const files = await uploadFiles(own, request, network, share)
          if (files.kind !== 'done') return share.refusal ?? files
          uploaded = files.result
          return createDoneOutcome(content)
        },
      )
      return album.kind === 'done' ? await sendFiles(own, request, album.result, uploaded) : album
    } finally {
      share.release()
    }
  },
}

function countFiles({ files }: AlbumRequest) {
  const images = files.filter(({ type }) => type === 'image').length
  return { images, videos: files.length - images }
}

async function uploadFiles(
  { transfers, mediaJobs, session, deadline, turnDeadline }: ActionContext,
  { files, parcel }: AlbumRequest,
  network: Connection,
  share: SpaceShare,
): Promise<Outcome<UploadedFile[]>> {
  const body = await transfers.streamFile(parcel, deadline)
  if (!body) return fileMissing
  const transferred = new FramedFiles(body)
  const uploaded: UploadedFile[] = []
  try {
    for (const [index, { type, text: caption }] of files.entries()) {
      // A transfer that breaks off is a file that did not arrive.
      const next = await transferred.readNext().catch(() => undefined)
      if (!next) return fileMissing
      const request = { instance: session.instance, kind: type, deadline: turnDeadline }
      const prepared = await prepareFile(mediaJobs, request, async () =>
        ReadableStream.from(share.countBytes(next.bytes)),
      )
      if (prepared.kind !== 'done') return nameFile(prepared, index)
      const {
        mimetype = next.type.mimetype || presetTypes[type],
        details = {},
        openFile,
        remove,
      } = prepared.result
      const upload = async () => {
        const bytes = await openFile()
        return bytes && uploadFile(network.media, type, Readable.from(bytes), deadline)
      }
      const stored = await upload().finally(remove)
      if (!stored) return fileMissing
      if (stored.kind !== 'done') return toUploadRefusal(stored)
      const file: FileToSend = { type, mimetype, caption, fileName: '', viewOnce: false, details }
      uploaded.push({ file, stored: stored.value })
    }
    return createDoneOutcome(uploaded)
  } finally {
    await transferred.close()
  }
}

/** The preparation words its refusals about the field `file`, and an album has several. */
const nameFile = <Failed extends FailedOutcome>(failed: Failed, index: number): Failed => ({
  ...failed,
  ...(failed.message && {
    message: failed.message.replace(/^file\b|(?<= of )file\b/, formatFieldPath(['files', index, 'file'])),
  }),
})

/** The result says of each what is known: what may have been sent has no end yet, and what is after a failure was not tried. */
async function sendFiles(
  context: ActionContext,
  request: AlbumRequest,
  record: MessageRecord,
  uploaded: UploadedFile[],
): Promise<Outcome<AlbumSent>> {
  const { messageid, chatid, sender, isGroup } = record
  const album = { messageid, chatid, sender, isGroup, fromMe: true }
  const { delay: _, readchat: __, readmessages: ___, ...common } = request
  const messages: MessageRecord[] = []
  for (const [sent, file] of uploaded.entries()) {
    const part = { ...common, messageid: createMessageId() }
    const outcome = await endApart(context, () =>
      sendNewMessage(
        context,
        part,
        (about) => ({ kind: 'media' as const, ...file, album, ...about }),
        storeAtOnce,
      ),
    )
    if (outcome.kind === 'done') {
      messages.push(outcome.result)
      continue
    }
    recordEnd(context.session, { action: 'message.sendAlbum', messageid: part.messageid }, outcome)
    // A store that cannot be read does not change what went.
    const failed = await context.session.intake.findMessage(part.messageid).catch(() => undefined)
    if (failed) messages.push(failed.record)
    const isReported = failed || outcome.kind === 'unknown'
    return createDoneOutcome({
      ...record,
      sent,
      unsent: uploaded.length - sent - (isReported ? 1 : 0),
      messages,
    })
  }
  return createDoneOutcome({ ...record, sent: uploaded.length, unsent: 0, messages })
}

/**
 * With a step before the send a message is stored at once. If a deferred write failed, the send would go on over the next connection, and
 * nothing would be stored of it.
 */
const storeAtOnce = async (_: Connection, content: ContentToSend): Promise<Outcome<ContentToSend>> =>
  createDoneOutcome(content)

/** The outcome of one message of the act: whether something of it has left does not depend on those before it. */
async function endApart<Result>(
  { requests, log }: ActionContext,
  send: () => Promise<Outcome<Result>>,
): Promise<Outcome<Result>> {
  const before = requests.effectsLeft
  const hasLeft = () => requests.effectsLeft > before
  const outcome = await send().catch((error) => createThrownOutcome(error, { hasLeft: hasLeft(), log }))
  return limitToWhatLeft(outcome, { hasLeft: hasLeft() })
}
