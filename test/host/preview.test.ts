// Previews are drawn of photographs only, recognized by their first bytes.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findPreview } from '@msgnet/session-host/actions/outgoing-files.ts'
import { MediaJobs } from '@msgnet/session-host/media/media-jobs.ts'
import { createSilentLog } from '@msgnet/session-host/process/host-log.ts'
import sharp from 'sharp'
import { afterAll, expect, test } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'preview-'))
const jobs = new MediaJobs(createSilentLog())
afterAll(() => {
  jobs.stop()
  rmSync(folder, { recursive: true, force: true })
})

const createPreview = (path: string) =>
  findPreview(jobs, { instance: 'one', path, deadline: new AbortController().signal })

const red = sharp({ create: { width: 64, height: 48, channels: 3, background: 'red' } })
function writeStored(name: string, bytes: Uint8Array | string): string {
  const file = join(folder, name)
  writeFileSync(file, bytes)
  return file
}

test.each(['jpeg', 'png', 'webp'] as const)('a %s has a preview', async (format) => {
  const file = writeStored(`red.${format}`, await red.clone().toFormat(format).toBuffer())
  expect(await createPreview(file)).toMatchObject({ width: 64, height: 48 })
})

test.each(['jpeg', 'png', 'webp'] as const)(
  'a %s that a phone took on its side has the size in which it is shown, as its preview has',
  async (format) => {
    const turned = red.clone().withMetadata({ orientation: 6 }).toFormat(format)
    const preview = await createPreview(writeStored(`turned.${format}`, await turned.toBuffer()))
    expect(preview).toMatchObject({ width: 48, height: 64 })
    const { width, height } = await sharp(preview?.jpegThumbnail).metadata()
    expect(height).toBeGreaterThan(width)
  },
)

test.each(['tiff', 'gif', 'avif'] as const)('a %s has no preview', async (format) => {
  expect(
    await createPreview(writeStored(`red.${format}`, await red.clone().toFormat(format).toBuffer())),
  ).toBeUndefined()
})

test('an SVG is not drawn: it could draw a neighbouring file', async () => {
  writeStored('neighbour.png', await red.clone().png().toBuffer())
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" width="64" height="48"><image href="neighbour.png" width="64" height="48"/></svg>'
  for (const text of [svg, `<?xml version="1.0"?>\n${svg}`, `\n ${svg}`])
    expect(await createPreview(writeStored('drawing.jpg', text))).toBeUndefined()
})

test('a file too short for any format has no preview', async () => {
  expect(await createPreview(writeStored('empty', ''))).toBeUndefined()
  expect(await createPreview(writeStored('short', Uint8Array.of(0xff, 0xd8, 0xff)))).toBeUndefined()
})
