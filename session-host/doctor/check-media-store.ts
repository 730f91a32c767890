// Checks of the media store: a small file is written, read again and deleted, with the settings that a host has.

import { randomBytes } from 'node:crypto'
import { access, constants, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { SECOND } from '@msgnet/shared/date-time.ts'
import type { MediaConfig } from '../config.ts'
import { describeFailure } from '../driver/site/fetch-text.ts'
import { MediaBucket } from '../stored-media/media-bucket.ts'
import { type Finding, fail, ok } from './doctor-finding.ts'

const WITHIN_MS = 10 * SECOND
const CHECK = 'media store'

export async function checkMediaStore(
  media: MediaConfig,
  dataDir: string,
  within = WITHIN_MS,
): Promise<Finding> {
  if (!media.isOn) return ok(CHECK, 'MEDIA is off: no file is kept')
  return media.bucket ? checkBucket(media.bucket, within) : checkFolder(join(dataDir, 'media'))
}

async function checkFolder(path: string): Promise<Finding> {
  try {
    await access(path, constants.W_OK)
    return ok(CHECK, `files are kept in ${path}`)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      return ok(CHECK, `files will be kept in ${path}, which the first file makes`)
    return fail(CHECK, `${path} cannot be written`, 'Give it to the user of the host.')
  }
}

async function checkBucket(address: NonNullable<MediaConfig['bucket']>, within: number): Promise<Finding> {
  const bucket = new MediaBucket(address)
  const signal = AbortSignal.timeout(within)
  const folder = await mkdtemp(join(tmpdir(), 'doctor-'))
  const name = `doctor/${crypto.randomUUID()}`
  const file = join(folder, 'file')
  const bytes = randomBytes(64)
  try {
    await writeFile(file, bytes)
    await bucket.storeFile(name, file, signal)
    const found = await bucket.openFile(name, signal)
    const isSame = found !== undefined && bytes.equals(await buffer(found))
    await bucket.deleteFile(name, signal)
    if (isSame) return ok(CHECK, `${address.url} takes, returns and deletes a file`)
    return fail(CHECK, `${address.url} does not return what it has taken`, 'Name another bucket.')
  } catch (error) {
    return fail(
      CHECK,
      `${address.url}: ${describeFailure(error)}`,
      'Compare key, secret, bucket and region in MEDIA_STORE_URL, and this clock; the key must read, write and delete.',
    )
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
