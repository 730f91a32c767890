// A part of the gateway killed while a credential is on its way, or a caller who leaves: nothing is stored, and the same import then succeeds.
// @module-tag slow

import { credentialLines } from '@msgnet/shared/api/sample-values.ts'
import { MINUTE } from '@msgnet/shared/date-time.ts'
import { expect, test } from 'vitest'
import { createDevice, type Device } from '../device.ts'
import { importLines } from '../imported-account.ts'
import { openImport } from '../open-import.ts'
import { startStage } from '../scene.ts'
import { until } from '../until.ts'

const { world } = await startStage()
const patient = { within: MINUTE }
const limit = { timeout: 5 * MINUTE }

/** Undefined while a part starts. */
const readAccount = async (device: Device): Promise<string | undefined> => {
  const answer = await device.caller.get('/instance/status').catch(() => undefined)
  return answer?.status === 200 ? answer.body.jid : undefined
}

async function expectNothingStored(device: Device): Promise<void> {
  expect(await until(async () => (await readAccount(device)) !== undefined, patient)).toBe(true)
  expect(await readAccount(device)).toBe('')
  const imported = await until(async () => {
    const answer = await importLines(device, credentialLines).catch(() => undefined)
    return answer?.status === 200 && answer
  }, patient)
  expect(await readAccount(device)).toBe(imported.body.imported.account)
}

test.each(['edge', 'session host'])('the %s is killed in the middle of an import', limit, async (part) => {
  const device = await createDevice(world, part)
  const { answer, waitUntilRead } = openImport(world, device)
  await waitUntilRead()
  const victim = world.findPid(part)
  process.kill(victim, 'SIGKILL')
  await until(() => world.run.parts[part] !== victim, patient)
  const { status, error } = await answer
  // Its end was on no way to a host, so what became of it is known; an edge that is killed answers nothing.
  expect([status, error]).toEqual(part === 'edge' ? [0, undefined] : [502, 'msgnet_unreachable'])
  await expectNothingStored(device)
})

test('the caller leaves in the middle of an import', limit, async () => {
  const device = await createDevice(world, 'left')
  const { answer, leave, waitUntilRead } = openImport(world, device)
  await waitUntilRead()
  leave()
  expect((await answer).status).toBe(0)
  await expectNothingStored(device)
})
