// Apart from send-message.ts, because most texts have none: the preview of a link, with the small picture that phones show beside it.

import type { LinkPreview } from '@msgnet/shared/contract/link-preview.ts'
import type { LinkPreviewToSend } from '../driver/driver.ts'
import type { ActionContext } from './action.ts'
import { drawThumbnail } from './outgoing-files.ts'

/** A picture that does not arrive, or that is none, is left out. */
export async function buildLinkPreview(
  { session, network, transfers, mediaJobs, deadline, timed, log }: ActionContext,
  { hasPicture, ...words }: LinkPreview,
  parcel = '',
): Promise<LinkPreviewToSend> {
  const isDrawn = hasPicture && network !== undefined && timed?.kind !== 'scheduled'
  if (!isDrawn) return { ...words, thumbnail: undefined }
  const { instance } = session
  const share = mediaJobs.space.openShare(instance)
  try {
    const body = timed?.openFile() ?? (await transfers.streamFile(parcel, deadline))
    const thumbnail = body && (await drawThumbnail(mediaJobs, { instance, log, share, body, deadline }))
    return { ...words, thumbnail }
  } finally {
    share.release()
  }
}
