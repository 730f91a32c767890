// The manifest of a backup: what is in it, each part signed with a key of its side, so that a backup cannot be made or changed without the keys.

import { createHmac, timingSafeEqual } from 'node:crypto'
import { join } from 'node:path'
import { OperatorError } from '@msgnet/shared/node/operator-errors.ts'
import { deriveKey, parseSealKeys, type Side } from '@msgnet/shared/seal-keys.ts'
import * as z from 'zod'
import { openRegularFile } from './archive.ts'

export const MANIFEST = 'manifest.json'
/** Of the whole backup. */
export const FORMAT = 1

const Part = z.object({
  rows: z.int(),
  bytes: z.int(),
  sha256: z.string(),
  /** Names of the keys that open what is sealed in it. The first signs. */
  keys: z.array(z.string()).min(1),
  hmac: z.string(),
})
export type Part = z.infer<typeof Part>

const Manifest = z.object({
  format: z.literal(FORMAT),
  /** In every signature, so that parts of two backups cannot be combined. */
  id: z.string(),
  madeAt: z.string(),
  parts: z.object({ edge: Part.optional(), host: Part.optional() }),
})
export type Manifest = z.infer<typeof Manifest>

export const toFileName = (side: Side) => `${side}.ndjson.gz`

/** Signs with the key named first. Throws an OperatorError if it is not in `sealKeys`. */
export async function signPart(
  sealKeys: string,
  side: Side,
  { id, madeAt }: Pick<Manifest, 'id' | 'madeAt'>,
  { rows, bytes, sha256, keys }: Omit<Part, 'hmac'>,
): Promise<string> {
  const key = sealKeys === '' ? undefined : parseSealKeys(sealKeys).find((known) => known.id === keys[0])
  if (!key) throw new OperatorError(`The key "${keys[0]}" is missing.`)
  const signingKey = await deriveKey(key.bytes, `${side}/backup`)
  const signed = JSON.stringify([FORMAT, side, id, madeAt, rows, bytes, sha256, keys])
  return createHmac('sha256', signingKey).update(signed).digest('hex')
}

export async function hasValidSignature(
  sealKeys: string,
  side: Side,
  manifest: Manifest,
  part: Part,
): Promise<boolean> {
  const expected = Buffer.from(await signPart(sealKeys, side, manifest, part))
  const found = Buffer.from(part.hmac)
  return found.length === expected.length && timingSafeEqual(found, expected)
}

/** Throws an OperatorError if the folder has none. */
export async function readManifest(folder: string): Promise<Manifest> {
  const handle = await openRegularFile(join(folder, MANIFEST))
  try {
    const text = await handle.readFile('utf8')
    return Manifest.parse(JSON.parse(text))
  } catch {
    throw new OperatorError(
      `${join(folder, MANIFEST)} is not a manifest of a backup that this version can read.`,
    )
  } finally {
    await handle.close()
  }
}
