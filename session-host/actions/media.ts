// Actions on files: sending them with a message, and uploading the file of a stored message to the edge.

import { Readable } from 'node:stream'
import type { ReadableStream as NodeStream } from 'node:stream/web'
import { STATUS } from '../../shared/jid.ts'
import type { ActionInput } from '../../shared/wire/actions.ts'
import { done, type Outcome, refused } from '../../shared/wire/outcome.ts'
import type { Connection, ContentToSend, FileToSend } from '../driver/driver.ts'
import { downloadRefusals } from '../driver/media.ts'
import { type ActionContext, type ActionTable, type NotDone, refusedBy, TOO_OFTEN } from './action.ts'
import { presetTypes } from './media-types.ts'
import { send, sendNew } from './sending.ts'
import { postOf } from './status-posts.ts'

type Name = 'message.sendMedia' | 'message.sendStatus' | 'message.media' | 'message.download'
type MediaActions = Pick<ActionTable<'message'>, Name>

export const mediaActions: MediaActions = {
  'message.sendMedia': (context, request) =>
    sendNew(
      context,
      request,
      (saying) => ({ kind: 'media' as const, file: fileOf(request), ...saying }),
      (network, content) => withFile(context, network, request.parcel, content),
    ),

  'message.sendStatus'(context, { parcel, ...request }) {
    const content = postOf({ parcel, ...request })
    const post = { number: STATUS, ...request }
    if (content.kind !== 'media') return send(context, post, content)
    return send(context, post, content, {}, (network) => withFile(context, network, parcel, content))
  },

  async 'message.media'({ session }, { id }) {
    const row = await session.intake.find(id)
    if (!row?.encoded) return refused('message_not_found')
    if (row.record.type !== 'media') return refused('invalid_message', 'id: the message has no file')
    const { mimetype = '', fileName = '', fileLength = 0 } = row.record.content
    return done({
      mimetype: String(mimetype),
      fileName: String(fileName),
      fileLength: Number(fileLength),
    })
  },

  async 'message.download'({ session, transfers, deadline }, { id, parcel, atMost }) {
    const { network } = session
    const row = await session.intake.find(id)
    if (!row?.encoded) return refused('message_not_found')
    if (!network) return refused('not_connected')
    const found = await network.media.download(row.encoded, row.record, deadline)
    if (found.kind !== 'done') return downloadRefusal(found)
    const { file, moved } = found.value
    if (moved) await session.intake.amend(row.record, moved)
    const counted = countUpTo(atMost)
    const body = (Readable.toWeb(file) as ReadableStream<Uint8Array>).pipeThrough(counted.stream)
    if (await transfers.upload(parcel, body, deadline)) return done({ brought: true })
    file.destroy()
    if (counted.exceeded) return refused('body_too_large', `The file has over ${atMost} bytes.`)
    return refused('media_unavailable', 'The file was not whole, or nobody took it.')
  },
}

/** Uploads the content's file to the network; answers the content with the stored file. */
async function withFile(
  { transfers, deadline }: ActionContext,
  network: Connection,
  parcel: string,
  content: Extract<ContentToSend, { kind: 'media' }>,
): Promise<Outcome<ContentToSend>> {
  const body = await transfers.stream(parcel, deadline)
  if (!body) return refused('media_unavailable', 'The file did not arrive at the session host.')
  const file = Readable.fromWeb(body as NodeStream)
  const stored = await network.media.upload(content.file.type, file, deadline)
  if (stored.kind !== 'done')
    return fileRefusal(stored, 'The network did not take the file, or it did not arrive whole.')
  return done({ ...content, stored: stored.value })
}

/** No message was sent yet, so a failed file is refused and never unknown. */
const fileRefusal = (answer: NotDone, sentence: string) =>
  answer.kind === 'refused' && answer.code === TOO_OFTEN
    ? refusedBy(answer.code)
    : refused('media_unavailable', sentence)

/** By the code of the refusal. */
const whyNot: Record<number, { errorKey: string; message: string }> = {
  [downloadRefusals.lost]: {
    errorKey: 'media_lost',
    message: 'The network no longer has the file, and neither does the phone.',
  },
  [downloadRefusals.phoneSilent]: {
    errorKey: 'phone_silent',
    message:
      'The network no longer has the file, and the phone, which may have it, did not answer: is it online?',
  },
}

function downloadRefusal(answer: NotDone): Outcome<never> {
  const why = answer.kind === 'refused' ? whyNot[answer.code] : undefined
  const refusal = fileRefusal(answer, why?.message ?? 'The network does not give the file out.')
  return why ? { ...refusal, errorKey: why.errorKey } : refusal
}

const fileOf = ({
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

/** Passes bytes through and fails above `most`: the length that a message names comes from its sender and may be false. */
function countUpTo(most = Number.MAX_SAFE_INTEGER) {
  let length = 0
  const stream = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      length += chunk.length
      if (length > most) controller.error(new Error('the file is too long'))
      else controller.enqueue(chunk)
    },
  })
  return {
    stream,
    get exceeded() {
      return length > most
    },
  }
}
