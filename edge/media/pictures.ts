// Pictures of groups and accounts, as callers give them: a word that takes one away, or an image that waits for the host.

import type { Context } from 'hono'
import { limits } from '../../shared/contract/version.ts'
import type { EdgeEnv } from '../context.ts'
import type { InstanceRow } from '../store/instances.ts'
import { readMediaInput } from './input.ts'
import { withUpload } from './transfers.ts'

const terms = { field: 'image', broken: 'invalid_image', tooLarge: 'image_too_large' } as const

/** Calls `set` with the name under which the image waits; the empty string removes the picture. */
export async function withPicture<Result>(
  c: Context<EdgeEnv>,
  instance: InstanceRow,
  image: string,
  set: (parcel: string) => Promise<Result>,
): Promise<Result> {
  if (c.var.claim?.recalling || image === 'remove' || image === 'delete') return set('')
  const wish = { ...terms, instance: instance.id, atMost: limits.imageBytes }
  const { bytes } = await readMediaInput(c.env, image, wish)
  return withUpload(c, instance, bytes, set)
}
