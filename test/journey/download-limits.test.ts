// What downloads of files may take in a minute: an instance beyond it is refused with the time to wait, by every way to a file, and no other one.

import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { createDevice, createPhone, linkDevice } from '../device.ts'
import { readMediaFile } from '../media-files.ts'
import { borrowScene } from '../scene.ts'
import { until } from '../until.ts'

const MIB = 1024 * 1024
const scene = await borrowScene({ DOWNLOAD_MB: '1' })
const { world, device } = scene
const friend = await createPhone(world)

/** A message with a file, as the device receives it. */
async function receive(file: object, to = device): Promise<string> {
  const { id } = await world.sim('POST', '/messages', { from: friend, to: to.number, ...file })
  await until(async () => (await to.caller.post('/message/find', { id })).body.messages.length === 1)
  return String(id)
}

test('an instance that has had its megabytes of a minute is refused with the seconds to wait, and a neighbour is served', async () => {
  const bytes = randomBytes(1.2 * MIB)
  const file = { document: bytes.toString('base64'), mimetype: 'application/octet-stream' }
  const neighbour = await linkDevice(world, await createDevice(world, 'Neighbour'))
  const [large, theirs] = [await receive(file), await receive(file, neighbour)]
  const sound = await receive({ audio: readMediaFile('voice.ogg').toString('base64') })
  const { fileURL } = (await device.caller.post('/message/download', { id: large })).body

  const whole = await fetch(fileURL)
  expect(whole.status).toBe(200)
  expect(Buffer.compare(Buffer.from(await whole.arrayBuffer()), bytes)).toBe(0)

  const refused = await fetch(fileURL)
  expect([refused.status, ((await refused.json()) as { error: string }).error]).toEqual([429, 'rate_limited'])
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(1)
  for (const id of [large, sound]) {
    const inBase64 = { id, return_base64: true, return_link: false, generate_mp3: id === sound }
    const { status, body, headers } = await device.caller.post('/message/download', inBase64)
    expect([status, body.error, Number(headers.get('retry-after')) > 1]).toEqual([429, 'rate_limited', true])
  }
  // A link is no file.
  expect((await device.caller.post('/message/download', { id: large })).status).toBe(200)
  const served = await neighbour.caller.post('/message/download', { id: theirs, return_base64: true })
  expect([served.status, served.body.base64Data.length]).toEqual([200, bytes.toString('base64').length])

  const metrics = await (await fetch(`${world.run.metricsUrl}/metrics`)).text()
  expect(metrics).toContain(`host_turns_refused_total{work="downloads",owner="${device.id}",reason="cost"} 3`)
}, 60_000)
