// Scenarios of linking: a device is linked, logs in again, and is unlinked from either side.

import { expect } from 'vitest'
import { createScenarios, type Scene } from '../scenario.ts'

const isOnline = async ({ network }: Scene, number: string) =>
  (await network.listCompanions(number)).some((one) => one.online)

async function linkClient(scene: Scene, account: object = {}) {
  const client = scene.createClient()
  const number = scene.nextNumber()
  await scene.network.createPhone(number, account)
  await scene.network.scanCode(number, await client.showQr())
  await client.waitUntilClosed()
  await client.login()
  return { client, number }
}

export const linking = createScenarios('linking', {
  'a device is linked by QR and logs in': async (scene) => {
    const client = scene.createClient()
    const number = scene.nextNumber()
    await scene.network.createPhone(number)
    await scene.network.scanCode(number, await client.showQr())
    expect(await client.waitUntilClosed()).toMatchObject({ code: 515 })
    await client.login()
    expect(await isOnline(scene, number)).toBe(true)
    await client.leave()
  },

  'a device is linked by code and logs in': async (scene) => {
    const client = scene.createClient()
    const number = scene.nextNumber()
    await scene.network.createPhone(number)
    const code = await client.showCode(number)
    expect(code.replace('-', '')).toMatch(/^[1-9A-HJ-NP-TV-Z]{8}$/)
    await scene.network.typeCode(number, code)
    expect(await client.waitUntilClosed()).toMatchObject({ code: 515 })
    await client.login()
    expect(await isOnline(scene, number)).toBe(true)
    await client.leave()
  },

  'a device logs in again with its stored keys': async (scene) => {
    const { client, number, network, friend, until } = scene
    await client.leave()
    await until(async () => !(await isOnline(scene, number)))
    const id = await network.writeMessage(friend, number, { text: 'while away' })
    await client.login()
    await until(() => client.received.find((one) => one.id === id))
  },

  'the phone unlinks a device': async (scene) => {
    const { client, number } = await linkClient(scene)
    await scene.network.unlinkDevice(number)
    expect(await client.waitUntilClosed()).toMatchObject({ code: 401 })
  },

  'a device unlinks itself': async (scene) => {
    const { client, number } = await linkClient(scene)
    await client.unlink()
    await scene.until(async () => (await scene.network.listCompanions(number)).length === 0)
  },

  'an unlinked device is refused': async (scene) => {
    const { client, number } = await linkClient(scene)
    await client.leave()
    await scene.network.unlinkDevice(number)
    await client.tryLogin()
    expect(await client.waitUntilClosed()).toMatchObject({ code: 401 })
  },

  ...Object.fromEntries(
    [true, false].map((lidMigrated) => [
      `an account that was ${lidMigrated ? '' : 'not '}migrated to LIDs sends to a person and receives the reply`,
      async (scene: Scene) => {
        const { network, friend, until } = scene
        const { client, number } = await linkClient(scene, { lidMigrated })
        const sent = await client.send(friend, { text: 'hello' })
        expect(sent.outcome).toEqual({ kind: 'done' })
        expect(await network.waitForMessage(friend, sent.id)).toMatchObject({ text: 'hello' })
        const id = await network.writeMessage(friend, number, { text: 'an answer' })
        expect(await until(() => client.received.find((one) => one.id === id))).toMatchObject({
          chat: friend,
        })
        await client.leave()
      },
    ]),
  ),
})
