// Scenarios of ends: what the network closes a connection or refuses a login with, and that the keys outlive it.

import { expect } from 'vitest'
import { createScenarios, type Scenario, type Scene } from '../scenario.ts'

/** The kinds that our driver makes of the codes; a code that is not here may be of any kind. */
const KINDS: Record<number, string> = {
  401: 'logged_out',
  403: 'banned',
  411: 'mismatch',
  440: 'replaced',
  500: 'bad_session',
  503: 'lost',
  515: 'restart',
}
const REPLACED = 440
const CODES = [401, 403, 405, 408, 411, 428, 440, 500, 503, 515]

function expectClosing(closing: { code: number; kind?: string }, code: number) {
  // A replaced connection is reported as a conflict without a number, and the library adds one.
  if (code !== REPLACED || closing.kind === undefined) expect(closing.code).toBe(code)
  const kind = KINDS[code]
  if (closing.kind !== undefined && kind !== undefined) expect(closing.kind).toBe(kind)
}

/** The simulated network only says it: the device is still linked, and the same keys are good. */
async function expectBack({ client, network, friend, number, until }: Scene) {
  await client.login()
  const id = await network.writeMessage(friend, number, { text: 'back again' })
  await until(() => client.received.some((one) => one.id === id))
}

const endStream = (code: number): [string, Scenario['run']] => [
  `the stream ends with ${code}`,
  async (scene) => {
    const { client, network, number } = scene
    await network.fault({ kind: 'close', code, number })
    expectClosing(await client.waitUntilClosed(), code)
    await expectBack(scene)
  },
]

const refuseLogin = (code: number): [string, Scenario['run']] => [
  `a login is refused with ${code}`,
  async (scene) => {
    const { client, network, number } = scene
    await client.leave()
    await network.fault({ kind: 'login', code, number, count: 1 })
    await client.tryLogin()
    expectClosing(await client.waitUntilClosed(), code)
    await expectBack(scene)
  },
]

export const endings = createScenarios('ends', {
  ...Object.fromEntries(CODES.map(endStream)),
  ...Object.fromEntries(CODES.map(refuseLogin)),
  'the network drops the connection': async (scene) => {
    const { client, network, number } = scene
    await network.fault({ kind: 'close', number })
    await client.waitUntilClosed()
    await expectBack(scene)
  },
  'the network takes no connections': async (scene) => {
    const { client, network, number } = scene
    await client.leave()
    await network.fault({ kind: 'unreachable', number, count: 1 })
    await client.tryLogin()
    await client.waitUntilClosed()
    await expectBack(scene)
  },
})
