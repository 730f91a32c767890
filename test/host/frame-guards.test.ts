// A socket without a lease: nothing is sent on it any more.

import { expect, test } from 'vitest'
import { until } from '../until.ts'
import { type Line, startDriver } from './driver.ts'

const ANNA = '5511330000001'
const BEN = '5511330000002'

test('no frame is sent once the lease is over', async () => {
  const lease = { runs: true }
  const world = await startDriver(undefined, { lease })
  await world.sim('POST', '/phones', { number: BEN, name: 'Ben' })
  const instance = await world.linkPhone(ANNA)
  const connectLine = async () => {
    const line = await world.connectInstance(instance)
    await until(() => line.account)
    return line
  }
  const sendText = async ({ connection }: Line, text: string) => {
    const encoded = connection.encode({ kind: 'text', text, mentions: [] })?.encoded ?? new Uint8Array()
    return connection.send(text, `${BEN}@s.msgnet.net`, encoded, AbortSignal.timeout(20_000))
  }
  const line = await connectLine()
  expect(await sendText(line, 'FIRST')).toMatchObject({ kind: 'done' })
  lease.runs = false
  expect((await sendText(line, 'MUTED')).kind).toBe('unknown')
  await line.connection.close()
  lease.runs = true
  expect(await sendText(await connectLine(), 'NEXT')).toMatchObject({ kind: 'done' })
  const { messages } = await world.sim<{ messages: { text: string }[] }>('GET', `/phones/${BEN}/inbox`)
  expect(messages.map(({ text }) => text)).toEqual(['FIRST', 'NEXT'])
  await world.close()
})
