// The handler that sends an album: its files are opened one after another, each when the host takes it.

import type { SendAlbum } from '@msgnet/shared/contract/album-requests.ts'
import { limits } from '@msgnet/shared/contract/limits.ts'
import { imageTypes } from '@msgnet/shared/contract/media-requests.ts'
import { formatFieldPath } from '@msgnet/shared/contract/validation-message.ts'
import { SECOND } from '@msgnet/shared/date-time.ts'
import { Fault } from '@msgnet/shared/fault-table.ts'
import { frameFile } from '@msgnet/shared/wire/framed-files.ts'
import type { Context } from 'hono'
import type * as z from 'zod'
import type { Handlers } from '../http/serve-route.ts'
import { FileContent } from '../media/file-content.ts'
import { findImageType } from '../media/image-type.ts'
import { type MediaInputRules, openMediaInput, validateMediaInput } from '../media/media-input.ts'
import { takeLongTexts } from '../media/request-body.ts'
import { withUpload } from '../media/request-transfers.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import { mergeCaption } from './media-routes.ts'
import { chooseDelay } from './message-delay.ts'
import { dispatchMessage, requireSendable, validateAfterSession } from './session-dispatch.ts'

type Files = z.output<typeof SendAlbum>['files']
type Rules = Omit<MediaInputRules, 'field'>

/** For each further file, beyond the time of one. */
const MORE_TIME_MS = 5 * SECOND
const IMAGE_TYPES = imageTypes.image ?? []

export const albumHandlers = {
  async sendAlbum(c, { body: { files, ...message } }) {
    const parts = files.map(({ type, text, caption }, index) => ({
      type,
      text: mergeCaption(text, caption, formatFieldPath(['files', index, 'caption'])),
    }))
    const fetches = new AbortController()
    const rules: Rules = {
      signal: fetches.signal,
      invalid: 'invalid_body',
      tooLarge: 'body_too_large',
      instance: c.var.instance.id,
      maxBytes: limits.maxMediaBytes,
      longTexts: takeLongTexts(c),
    }
    const instance = await validateAfterSession(
      () => requireSendable(c, message),
      () => validateFiles(c, files, rules),
    )
    const delay = chooseDelay(instance, message)
    const wait = (delay ?? 0) + (files.length - 1) * MORE_TIME_MS
    const dispatchSend = (parcel: string) =>
      dispatchMessage(
        c,
        instance,
        'message.sendAlbum',
        { ...message, delay, files: parts, parcel },
        { delay: wait },
      )
    // A recalled act has its files already.
    if (c.var.claim?.isRecall) return await dispatchSend('')
    const content = new FileContent(toStream(openFiles(c, files, rules)), () => fetches.abort())
    return withUpload(c, instance, content, dispatchSend)
  },
} satisfies Partial<Handlers>

const nameField = (index: number) => formatFieldPath(['files', index, 'file'])

/** Throws the Fault of a URL that is not allowed or of text that is not base64. */
async function validateFiles(c: Context<EdgeEnv>, files: Files, rules: Rules): Promise<void> {
  for (const [index, { file }] of files.entries())
    await validateMediaInput(c.env, file, { ...rules, field: nameField(index) })
}

async function* openFiles(c: Context<EdgeEnv>, files: Files, rules: Rules): AsyncGenerator<Uint8Array, void> {
  for (const [index, { file, type }] of files.entries()) {
    const field = nameField(index)
    const input = await openMediaInput(c.env, file, { ...rules, field })
    try {
      const mimetype = type === 'image' ? findImageType(input.first) : input.mimetype
      if (type === 'image' && !IMAGE_TYPES.includes(mimetype ?? '')) {
        await input.content.cancelBody()
        throw new Fault('unsupported_media_type', `${field} must be ${IMAGE_TYPES.join(', ')}.`)
      }
      yield* frameFile({ mimetype: mimetype ?? '' }, input.content.takeBody())
    } finally {
      input.closeInput()
    }
  }
}

const toStream = (chunks: AsyncGenerator<Uint8Array, void>) =>
  new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await chunks.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    async cancel() {
      await chunks.return()
    },
  })
