// Pictures of groups and accounts in requests: the word that removes the picture, or an image that the host downloads.

import { limits } from '@msgnet/shared/contract/limits.ts'
import type { Context } from 'hono'
import type { EdgeEnv } from '../request/request-context.ts'
import type { InstanceRow } from '../store/instance-queries.ts'
import { FileContent } from './file-content.ts'
import { type MediaInputRules, readMediaInput, validateMediaInput } from './media-input.ts'
import { retainBytes, takeLongTexts } from './request-body.ts'
import { withUpload } from './request-transfers.ts'

const faults = { field: 'image', invalid: 'invalid_image', tooLarge: 'image_too_large' } as const
const commonRules = { ...faults, maxBytes: limits.maxImageBytes }

const buildRules = (c: Context<EdgeEnv>): MediaInputRules => ({
  ...commonRules,
  instance: c.var.instance.id,
  longTexts: takeLongTexts(c),
})

const isRemoval = (image: string): boolean => image === 'remove' || image === 'delete'

/** Throws the Fault of a URL that is not allowed or of text that is not base64. */
export async function validatePicture(c: Context<EdgeEnv>, image: string): Promise<void> {
  if (!isRemoval(image)) await validateMediaInput(c.env, image, buildRules(c))
}

/** Calls `setPicture` with the name of the transfer that has the image; the empty string removes the picture. */
export async function withPicture<Result>(
  c: Context<EdgeEnv>,
  instance: InstanceRow,
  image: string,
  setPicture: (transfer: string) => Promise<Result>,
): Promise<Result> {
  if (c.var.claim?.isRecall || isRemoval(image)) return setPicture('')
  const bytes = await readMediaInput(c.env, image, buildRules(c), retainBytes(c, c.var.actor))
  return withUpload(c, instance, new FileContent(bytes), setPicture)
}
