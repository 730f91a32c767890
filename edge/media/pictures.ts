// Pictures of groups and accounts in requests: a word that removes the picture, or an image that the host downloads.

import type { Context } from 'hono'
import { limits } from '../../shared/contract/version.ts'
import type { EdgeEnv } from '../context.ts'
import type { InstanceRow } from '../store/instances.ts'
import { judgeMediaInput, type MediaInputTerms, readMediaInput } from './input.ts'
import { holdBytes, takeLifted } from './request-body.ts'
import { withUpload } from './transfers.ts'

const faults = { field: 'image', broken: 'invalid_image', tooLarge: 'image_too_large' } as const
const terms = { ...faults, atMost: limits.imageBytes }

const termsOf = (c: Context<EdgeEnv>): MediaInputTerms => ({
  ...terms,
  ...{ instance: c.var.instance.id, lifted: takeLifted(c) },
})

const removes = (image: string): boolean => image === 'remove' || image === 'delete'

/** Throws the Fault of a URL that is not allowed or of text that is not base64. */
export function judgePicture(c: Context<EdgeEnv>, image: string): void {
  if (!removes(image)) judgeMediaInput(c.env, image, termsOf(c))
}

/** Calls `set` with the name under which the image waits; the empty string removes the picture. */
export async function withPicture<Result>(
  c: Context<EdgeEnv>,
  instance: InstanceRow,
  image: string,
  set: (parcel: string) => Promise<Result>,
): Promise<Result> {
  if (c.var.claim?.recalling || removes(image)) return set('')
  const content = await readMediaInput(c.env, image, termsOf(c), holdBytes(c, c.var.actor))
  return withUpload(c, instance, content, set)
}
