// Actions on files: sending them with a message, and uploading the file of a stored message to the edge.

import { Readable } from 'node:stream'
import type { MessageRecord } from '@msgnet/shared/contract/message-requests.ts'
import { STATUS_JID } from '@msgnet/shared/jid.ts'
import { createDoneOutcome, createRefusal, type Outcome } from '@msgnet/shared/wire/outcome.ts'
import type { ActionInput } from '@msgnet/shared/wire/session-actions.ts'
import type { Connection, ContentToSend, Download, FileToSend, NetworkOutcome } from '../driver/driver.ts'
import { downloadRefusals, uploadFile } from '../driver/media-network.ts'
import type { PacedDownload } from '../media/download-turns.ts'
import { storeReupload } from '../sessions/reuploaded-files.ts'
import {
  type ActionContext,
  type ActionTable,
  type FailedAnswer,
  refuseByCode,
  TOO_OFTEN,
  toFailedOutcome,
} from './action.ts'
import { presetTypes } from './media-types.ts'
import { convertToMp3, fileMissing, MP3_TYPE, prepareFile } from './outgoing-files.ts'
import { sendMessage, sendNewMessage } from './send-message.ts'
import { buildStatusPost } from './status-posts.ts'

type Name = 'message.sendMedia' | 'message.sendStatus' | 'message.media' | 'message.download'
type MediaActions = Pick<ActionTable<'message'>, Name>

export const mediaActions: MediaActions = {
  'message.sendMedia': (context, request) =>
    sendWithFile(context, request.parcel, buildFile(request), (file, upload) =>
      sendNewMessage(
        context,
        request,
        (messageContext) => ({ kind: 'media' as const, file, ...messageContext }),
        upload,
      ),
    ),

  'message.sendStatus'(context, { parcel, ...request }) {
    const content = buildStatusPost({ parcel, ...request })
    const post = { number: STATUS_JID, ...request }
    if (content.kind !== 'media') return sendMessage(context, post, content)
    return sendWithFile(context, parcel, content.file, (file, upload) => {
      const prepared = { ...content, file }
      return sendMessage(context, post, prepared, {}, (network) => upload(network, prepared))
    })
  },

  async 'message.media'({ session }, { id, mp3 }) {
    const row = await session.intake.findMessage(id)
    if (!row?.encoded) return createRefusal('message_not_found')
    if (row.record.type !== 'media') return createRefusal('invalid_message', 'id: the message has no file')
    const { mimetype = '', fileName = '', fileLength = 0 } = row.record.content
    // The length of what is yet to be made is not known.
    if (mp3 && isSound(row.record))
      return createDoneOutcome({ mimetype: MP3_TYPE, fileName: '', fileLength: 0 })
    return createDoneOutcome({
      mimetype: String(mimetype),
      fileName: String(fileName),
      fileLength: Number(fileLength),
    })
  },

  'message.download': (context, request) =>
    context.downloads.runDownload(context.session.instance, context.deadline, (download) =>
      uploadToEdge(context, request, download),
    ),
}

async function uploadToEdge(
  { session, network, transfers, mediaJobs, deadline, turnDeadline }: ActionContext,
  { id, parcel, atMost, mp3 }: ActionInput<'message.download'>,
  download: PacedDownload,
): Promise<Outcome<{ brought: true }>> {
  const { instance } = session
  const row = await session.intake.findMessage(id)
  if (!row?.encoded) return createRefusal('message_not_found')
  const stored = await session.storedMedia.openFile(session.instance, row.messageid, deadline)
  const found = stored
    ? createFoundFile(stored)
    : await network?.media.download(row.encoded, row.record, deadline)
  if (!found) return createRefusal('not_connected')
  if (found.kind !== 'done') return createDownloadRefusal(found)
  const { file, reuploaded } = found.value
  if (reuploaded) await storeReupload(session.intake, row, reuploaded)
  if (!mp3 || !isSound(row.record)) return sendToEdge({ transfers, download }, { file, parcel, atMost })
  const share = mediaJobs.space.openShare(instance)
  try {
    const sound = Readable.from(share.countBytes(download.passPieces(file)))
    const converted = await convertToMp3(mediaJobs, { instance, file: sound, deadline: turnDeadline })
    if (converted.kind !== 'done') return share.refusal ?? converted
    const { openFile, remove } = converted.result
    const made = await openFile()
    if (!made) return fileMissing
    return await sendToEdge({ transfers, download }, { file: made, parcel, atMost }).finally(remove)
  } finally {
    share.release()
  }
}

const isSound = ({ mediaType }: MessageRecord): boolean => mediaType === 'ptt' || mediaType === 'audio'

async function sendToEdge(
  { transfers, download }: Pick<ActionContext, 'transfers'> & { download: PacedDownload },
  { file, parcel, atMost }: { file: Readable; parcel: string; atMost: number | undefined },
): Promise<Outcome<{ brought: true }>> {
  const counter = createByteCounter(atMost)
  const body = ReadableStream.from(counter.countBytes(download.watchReader(download.passPieces(file))))
  if (await transfers.uploadFile(parcel, body, download.signal)) return createDoneOutcome({ brought: true })
  file.destroy()
  if (download.refusal) return download.refusal
  if (counter.exceeded) return createRefusal('body_too_large', `The file has over ${atMost} bytes.`)
  return createRefusal('media_unavailable', 'The file was incomplete, or the edge did not receive it.')
}

type MediaContent = Extract<ContentToSend, { kind: 'media' }>

const createFoundFile = (file: Readable): NetworkOutcome<Download> => ({ kind: 'done', value: { file } })

/** Uploads the content's file to the network; returns the content with the stored file. */
type Upload = (network: Connection, content: MediaContent) => Promise<Outcome<ContentToSend>>

/** Prepares the file before anything of its message is stored, so that a file that is refused leaves no trace. */
async function sendWithFile(
  context: ActionContext,
  parcel: string,
  file: FileToSend,
  send: (file: FileToSend, upload: Upload) => Promise<Outcome<MessageRecord>>,
): Promise<Outcome<MessageRecord>> {
  const { session, transfers, mediaJobs, network, deadline, turnDeadline, timed } = context
  if (!network) return createRefusal('not_connected')
  const request = { instance: session.instance, kind: file.type, deadline: turnDeadline }
  const share = mediaJobs.space.openShare(session.instance)
  const openBody = async () => {
    const body = timed?.openFile() ?? (await transfers.streamFile(parcel, deadline))
    return body && ReadableStream.from(share.countBytes(body))
  }
  try {
    const prepared = await prepareFile(mediaJobs, request, openBody)
    if (prepared.kind !== 'done') return share.refusal ?? prepared
    const { mimetype = file.mimetype, details = {}, openFile, remove } = prepared.result
    const upload: Upload = async (connection, content) => {
      const body = await openFile()
      if (!body) return fileMissing
      const stored = await uploadFile(connection.media, file.type, body, deadline)
      if (stored.kind === 'done') return createDoneOutcome({ ...content, stored: stored.value })
      return share.refusal ?? toUploadRefusal(stored)
    }
    return await send({ ...file, mimetype, details }, upload).finally(remove)
  } finally {
    share.release()
  }
}

/** No message was sent yet, so a failed file is refused and never unknown. */
const toFileRefusal = (answer: FailedAnswer, sentence: string) =>
  answer.kind === 'refused' && answer.code === TOO_OFTEN
    ? refuseByCode(answer.code)
    : createRefusal('media_unavailable', sentence)

export const toUploadRefusal = (answer: FailedAnswer) =>
  answer.kind === 'prevented' && answer.by !== 'media_unavailable'
    ? toFailedOutcome(answer)
    : toFileRefusal(answer, 'The network did not take the file, or it did not arrive whole.')

/** By the code of the refusal. */
const downloadFailures: Record<number, { errorKey: string; message: string }> = {
  [downloadRefusals.missing]: {
    errorKey: 'media_lost',
    message: 'The network no longer has the file, and neither does the phone.',
  },
  [downloadRefusals.phoneUnresponsive]: {
    errorKey: 'phone_silent',
    message:
      'The network no longer has the file, and the phone, which may have it, did not respond: is it online?',
  },
}

function createDownloadRefusal(answer: FailedAnswer): Outcome<never> {
  const why = answer.kind === 'refused' ? downloadFailures[answer.code] : undefined
  const refusal = toFileRefusal(answer, why?.message ?? 'The network does not give the file out.')
  return why ? { ...refusal, errorKey: why.errorKey } : refusal
}

const buildFile = ({
  type: kind,
  text,
  docName,
  mimetype,
  viewOnce,
}: ActionInput<'message.sendMedia'>): FileToSend => {
  const type = shownTypes[kind] ?? (kind as FileToSend['type'])
  const shownAs = looks[kind]
  return {
    type,
    ...(shownAs && { shownAs }),
    mimetype: mimetype || presetTypes[type],
    caption: text,
    viewOnce,
    fileName: docName || (type === 'document' ? 'file' : ''),
  }
}

/** The network's type for kinds that only the API family has. */
const shownTypes: Partial<Record<string, FileToSend['type']>> = {
  ptv: 'video',
  videoplay: 'video',
  myaudio: 'ptt',
}
const looks: Partial<Record<string, FileToSend['shownAs']>> = { ptv: 'note', videoplay: 'loop' }

/** Passes bytes through and fails above `maxBytes`: the length that a message names comes from its sender and may be false. */
function createByteCounter(maxBytes = Number.MAX_SAFE_INTEGER) {
  let length = 0
  return {
    async *countBytes(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
      for await (const piece of pieces) {
        length += piece.length
        if (length > maxBytes) throw new Error('the file is too long')
        yield piece
      }
    },
    get exceeded() {
      return length > maxBytes
    },
  }
}
