// What holds for the webhook of an instance holds for all of them: one table of cases, run at every position.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type BorrowedWorld, borrowWorld } from '../borrowed-world.ts'
import { SECRET } from '../device.ts'
import { type Receiver, startReceiver } from '../receiver.ts'
import { unlimited } from '../world.ts'
import { cases, type Subject } from './conformance-cases.ts'
import { createCorrespondent } from './gateway.ts'

const positions = [
  { title: 'the first, own', position: 0, isInherited: false },
  { title: 'the first, inherited', position: 0, isInherited: true },
  { title: 'the second', position: 1, isInherited: false },
  { title: 'the third', position: 2, isInherited: false },
  { title: 'the fourth', position: 3, isInherited: false },
  { title: 'the fifth', position: 4, isInherited: false },
]

let world: BorrowedWorld
const receivers: Receiver[] = []
beforeAll(async () => {
  world = await borrowWorld(unlimited)
})
afterAll(async () => {
  await world.admin.post('/v1/webhook', { action: 'delete' })
  await world.close()
  for (const receiver of receivers) await receiver.close()
})

async function openReceiver(): Promise<Receiver> {
  const receiver = await startReceiver()
  receivers.push(receiver)
  return receiver
}

/** The webhook as the table of cases begins with it. */
const whole = { events: ['messages'], enabled: true, excludeMessages: [] }

async function createSubject(position: number, isInherited: boolean): Promise<Subject> {
  const [receiver, neighbour] = [await openReceiver(), await openReceiver()]
  const device = await createCorrespondent(world, `Position ${position}`)
  const { caller } = device
  const save = async (path: string, body: object): Promise<string> => {
    const response = await caller.post(path, { ...whole, ...body })
    expect([response.status, response.text]).toEqual([200, expect.any(String)])
    return (response.body.webhook ?? response.body).id
  }
  const begin = { url: receiver.url, secret: SECRET }
  if (isInherited) {
    await world.admin.post('/v1/webhook', { ...whole, ...begin })
    await save('/v1/webhooks', { url: neighbour.url })
    const { id } = (await caller.get('/v1/webhooks')).body.webhooks[0]
    let present: object = { ...whole, url: receiver.url }
    const change = (body: object) => {
      present = { ...present, ...body }
      return world.admin.post('/v1/webhook', present)
    }
    return { device, id, receiver, neighbour, isInherited, change, openReceiver }
  }
  const others = position === 0 ? 0 : position - 1
  if (position > 0) await save('/webhook', { url: neighbour.url })
  for (let n = 0; n < others; n++) await save('/v1/webhooks', { url: neighbour.url, enabled: false })
  const id = await save(position === 0 ? '/webhook' : '/v1/webhooks', begin)
  if (position === 0) await save('/v1/webhooks', { url: neighbour.url })
  const change = (body: object) => caller.request('PATCH', `/v1/webhooks/${id}`, body)
  return { device, id, receiver, neighbour, isInherited, change, openReceiver }
}

describe.each(positions)('at $title', ({ position, isInherited }) => {
  let subject: Subject
  beforeAll(async () => {
    subject = await createSubject(position, isInherited)
  })
  // Other instances inherit the webhook of the server too.
  afterAll(async () => {
    if (isInherited) await world.admin.post('/v1/webhook', { action: 'delete' })
  })

  test.each(cases.filter(([, , onlyOwn]) => !onlyOwn || !isInherited))('%s', { timeout: 60_000 }, (_, run) =>
    run(subject),
  )
})
