// Pictures of groups and accounts in requests: a word that removes the picture, or an image that the host downloads.

import type { Context } from 'hono'
import { limits } from '../../shared/contract/version.ts'
import type { EdgeEnv } from '../context.ts'
import type { InstanceRow } from '../store/instances.ts'
import { judgeMediaInput, readMediaInput } from './input.ts'
import { withUpload } from './transfers.ts'

const faults = { field: 'image', broken: 'invalid_image', tooLarge: 'image_too_large' } as const
const terms = { ...faults, atMost: limits.imageBytes }

const removes = (image: string): boolean => image === 'remove' || image === 'delete'

/** Throws the Fault of a URL that is not allowed or of text that is not base64. */
export function judgePicture(c: Context<EdgeEnv>, image: string): void {
  if (!removes(image)) judgeMediaInput(c.env, image, { ...terms, instance: c.var.instance.id })
}

/** Calls `set` with the name under which the image waits; the empty string removes the picture. */
export async function withPicture<Result>(
  c: Context<EdgeEnv>,
  instance: InstanceRow,
  image: string,
  set: (parcel: string) => Promise<Result>,
): Promise<Result> {
  if (c.var.claim?.recalling || removes(image)) return set('')
  const { bytes } = await readMediaInput(c.env, image, { ...terms, instance: instance.id })
  return withUpload(c, instance, bytes, set)
}
