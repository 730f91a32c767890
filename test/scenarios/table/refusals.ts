// Scenarios of refusals: each code with which the network refuses a message, and requests that it refuses or does not answer.

import { expect } from 'vitest'
import { createScenarios, type Scenario } from '../scenario.ts'

const CODES = [400, 401, 403, 404, 405, 406, 408, 420, 421, 429, 463, 475, 479, 487, 500, 503]

const createRefusal = (code: number): [string, Scenario['run']] => [
  `a message is refused with ${code}`,
  async ({ client, network, number, friend }) => {
    // Not once: a driver may send again after some codes.
    await network.fault({ kind: 'ack_error', code, number })
    expect((await client.send(friend, { text: 'refused' })).outcome).toEqual({ kind: 'refused', code })
    await network.endFaults()
    expect((await client.send(friend, { text: 'taken' })).outcome).toEqual({ kind: 'done' })
  },
]

/** Long enough for the answers of this machine, and short for one that never comes. */
const WITHIN_MS = 1500

export const refusals = createScenarios('refusals', {
  ...Object.fromEntries(CODES.map(createRefusal)),
  'a message to a group is refused with 403': async ({ client, network, number, friend }) => {
    const jid = await network.createGroup(friend, [number], { announce: true })
    expect((await client.send(jid, { text: 'not for members' })).outcome).toMatchObject({ kind: 'refused' })
  },
  'a message whose acknowledgement is lost has an unknown outcome, and arrives': async ({
    client,
    network,
    number,
    friend,
  }) => {
    await network.fault({ kind: 'lost_ack', number, count: 1 })
    const sent = await client.send(friend, { text: 'is it there?' }, WITHIN_MS)
    expect(sent.outcome).toEqual({ kind: 'unknown' })
    await network.waitForMessage(friend, sent.id)
  },
  'a request of a group is refused': async ({ client, network, number, friend }) => {
    const jid = await network.createGroup(friend, [number])
    await network.fault({ kind: 'refuse', xmlns: 'w:g2', code: 429, number, count: 1 })
    expect(await client.renameGroup(jid, 'Refused')).toEqual({ kind: 'refused', code: 429 })
  },
  'a late response counts': async ({ client, network, number, friend }) => {
    await network.fault({ kind: 'slow', ms: 300, number, count: 1 })
    expect(await client.isOnNetwork(friend)).toBe(true)
  },
})
