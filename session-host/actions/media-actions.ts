// Actions on files: sending them with a message, and uploading the file of a stored message to the edge.

import { Readable } from 'node:stream'
import type { ReadableStream as NodeStream } from 'node:stream/web'
import { STATUS_JID } from '../../shared/jid.ts'
import { createDoneOutcome, createRefusal, type Outcome } from '../../shared/wire/outcome.ts'
import type { ActionInput } from '../../shared/wire/session-actions.ts'
import type { Connection, ContentToSend, FileToSend } from '../driver/driver.ts'
import { downloadRefusals } from '../driver/media-network.ts'
import { type ActionContext, type ActionTable, type FailedAnswer, refuseByCode, TOO_OFTEN } from './action.ts'
import { presetTypes } from './media-types.ts'
import { sendMessage, sendNewMessage } from './send-message.ts'
import { buildStatusPost } from './status-posts.ts'

type Name = 'message.sendMedia' | 'message.sendStatus' | 'message.media' | 'message.download'
type MediaActions = Pick<ActionTable<'message'>, Name>

export const mediaActions: MediaActions = {
  'message.sendMedia': (context, request) =>
    sendNewMessage(
      context,
      request,
      (messageContext) => ({ kind: 'media' as const, file: buildFile(request), ...messageContext }),
      (network, content) => uploadFile(context, network, request.parcel, content),
    ),

  'message.sendStatus'(context, { parcel, ...request }) {
    const content = buildStatusPost({ parcel, ...request })
    const post = { number: STATUS_JID, ...request }
    if (content.kind !== 'media') return sendMessage(context, post, content)
    return sendMessage(context, post, content, {}, (network) => uploadFile(context, network, parcel, content))
  },

  async 'message.media'({ session }, { id }) {
    const row = await session.intake.findMessage(id)
    if (!row?.encoded) return createRefusal('message_not_found')
    if (row.record.type !== 'media') return createRefusal('invalid_message', 'id: the message has no file')
    const { mimetype = '', fileName = '', fileLength = 0 } = row.record.content
    return createDoneOutcome({
      mimetype: String(mimetype),
      fileName: String(fileName),
      fileLength: Number(fileLength),
    })
  },

  async 'message.download'({ session, transfers, deadline }, { id, parcel, atMost }) {
    const { network } = session
    const row = await session.intake.findMessage(id)
    if (!row?.encoded) return createRefusal('message_not_found')
    if (!network) return createRefusal('not_connected')
    const found = await network.media.download(row.encoded, row.record, deadline)
    if (found.kind !== 'done') return createDownloadRefusal(found)
    const { file, reuploaded } = found.value
    if (reuploaded) await session.intake.changePending(row.record, reuploaded)
    const counter = createByteCounter(atMost)
    const body = (Readable.toWeb(file) as ReadableStream<Uint8Array>).pipeThrough(counter.stream)
    if (await transfers.uploadFile(parcel, body, deadline)) return createDoneOutcome({ brought: true })
    file.destroy()
    if (counter.exceeded) return createRefusal('body_too_large', `The file has over ${atMost} bytes.`)
    return createRefusal('media_unavailable', 'The file was incomplete, or the edge did not receive it.')
  },
}

/** Uploads the content's file to the network; answers the content with the stored file. */
async function uploadFile(
  { transfers, deadline }: ActionContext,
  network: Connection,
  parcel: string,
  content: Extract<ContentToSend, { kind: 'media' }>,
): Promise<Outcome<ContentToSend>> {
  const body = await transfers.streamFile(parcel, deadline)
  if (!body) return createRefusal('media_unavailable', 'The file did not arrive at the session host.')
  const file = Readable.fromWeb(body as NodeStream)
  const stored = await network.media.upload(content.file.type, file, deadline)
  if (stored.kind !== 'done')
    return toFileRefusal(stored, 'The network did not take the file, or it did not arrive whole.')
  return createDoneOutcome({ ...content, stored: stored.value })
}

/** No message was sent yet, so a failed file is refused and never unknown. */
const toFileRefusal = (answer: FailedAnswer, sentence: string) =>
  answer.kind === 'refused' && answer.code === TOO_OFTEN
    ? refuseByCode(answer.code)
    : createRefusal('media_unavailable', sentence)

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
  const stream = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      length += chunk.length
      if (length > maxBytes) controller.error(new Error('the file is too long'))
      else controller.enqueue(chunk)
    },
  })
  return {
    stream,
    get exceeded() {
      return length > maxBytes
    },
  }
}
