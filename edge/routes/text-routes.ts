// The handler of texts: as the session sends them, or with the preview of a link, which is fetched before.

import { routes } from '@msgnet/shared/api/api.ts'
import type { LinkPreview } from '@msgnet/shared/contract/link-preview.ts'
import type { SendText } from '@msgnet/shared/contract/message-requests.ts'
import type { Context } from 'hono'
import type * as z from 'zod'
import type { AnyHandler } from '../http/serve-route.ts'
import {
  type FoundPreview,
  findPreview,
  requestsPreview,
  validatePreview,
  validatePreviewImage,
} from '../media/fetch-preview.ts'
import { FileContent } from '../media/file-content.ts'
import { withUpload } from '../media/request-transfers.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import { chooseDelay } from './message-delay.ts'
import {
  createActionHandler,
  dispatchMessage,
  requireSendable,
  validateAfterSession,
} from './session-dispatch.ts'

type TextRequest = z.output<typeof SendText>

const sendPlainText = createActionHandler(routes.sendText)

async function sendWithPreview(c: Context<EdgeEnv>, body: TextRequest) {
  validatePreview(body)
  const instance = await validateAfterSession(
    () => requireSendable(c, body),
    () => validatePreviewImage(c, body),
  )
  const { linkPreview, linkPreviewTitle, linkPreviewDescription, linkPreviewImage, ...message } = body
  const delay = chooseDelay(instance, message)
  const dispatchSend = (found?: FoundPreview, parcel = '') => {
    const preview = found && describePreview(found, parcel !== '')
    return dispatchMessage(c, instance, 'message.sendText', { ...message, delay, preview, parcel }, { delay })
  }
  // A recalled act has its preview already.
  const found = c.var.claim?.isRecall ? undefined : await findPreview(c, body)
  if (!found?.picture) return dispatchSend(found)
  return withUpload(c, instance, new FileContent(found.picture), (parcel) => dispatchSend(found, parcel))
}

const describePreview = ({ picture: _, ...words }: FoundPreview, hasPicture: boolean): LinkPreview => ({
  ...words,
  hasPicture,
})

export const sendText: AnyHandler = Object.assign(
  (c: Context<EdgeEnv>, { body }: { body: TextRequest }) =>
    requestsPreview(body) ? sendWithPreview(c, body) : sendPlainText(c, { body, query: {} }),
  {
    validate(body: TextRequest) {
      sendPlainText.validate?.(body)
      validatePreview(body)
    },
  },
)
