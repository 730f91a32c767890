// A part of the gateway killed while a credential is on its way, or a caller who leaves: nothing is stored, and the same import then succeeds.

import { credentialLines } from '@msgnet/shared/api/sample-values.ts'
import { MIB } from '@msgnet/shared/contract/limits.ts'
import { MINUTE } from '@msgnet/shared/date-time.ts'
import { expect, test } from 'vitest'
import { createDevice, type Device } from '../device.ts'
import { importLines } from '../imported-account.ts'
import { startStage } from '../scene.ts'
import { until } from '../until.ts'

const { world } = await startStage()
const patient = { within: MINUTE }
const limit = { timeout: 5 * MINUTE }

/** More than all that lies between a caller and a session host can hold. */
const ROWS = 32

/** So many rows are sent, and the body stays open. */
function beginImport(device: Device) {
  const caller = new AbortController()
  const rows = Array.from({ length: ROWS }, (_, n) =>
    JSON.stringify({ kind: 'sender-key-memory', id: `${n}@g.us`, value: {}, more: 'x'.repeat(MIB) }),
  )
  const lines = [...credentialLines.trim().split('\n').slice(0, -1), ...rows]
  let isRead = false
  const body = new ReadableStream({
    pull(controller) {
      const line = lines.shift()
      if (line !== undefined) return controller.enqueue(new TextEncoder().encode(`${line}\n`))
      isRead = true
      return new Promise<void>(() => undefined)
    },
  })
  const answer = fetch(`${world.run.baseUrl}/instance/import`, {
    method: 'POST',
    headers: { token: device.token, 'content-type': 'application/x-ndjson' },
    body,
    duplex: 'half',
    signal: caller.signal,
  } as RequestInit).then(
    ({ status }) => status,
    () => 0,
  )
  return { answer, leave: () => caller.abort(), waitUntilRead: () => until(() => isRead, patient) }
}

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
  const { answer, waitUntilRead } = beginImport(device)
  await waitUntilRead()
  const victim = world.findPid(part)
  process.kill(victim, 'SIGKILL')
  await until(() => world.run.parts[part] !== victim, patient)
  expect(await answer).not.toBe(200)
  await expectNothingStored(device)
})

test('the caller leaves in the middle of an import', limit, async () => {
  const device = await createDevice(world, 'left')
  const { answer, leave, waitUntilRead } = beginImport(device)
  await waitUntilRead()
  leave()
  expect(await answer).toBe(0)
  await expectNothingStored(device)
})
