// Scenarios of linking: a device is linked, logs in again, and is unlinked from either side.

import { expect } from 'vitest'
import { type Scene, scenarios } from '../scenario.ts'

const online = async ({ network }: Scene, number: string) =>
  (await network.companions(number)).some((one) => one.online)

async function link(scene: Scene, account: object = {}) {
  const client = scene.fresh()
  const number = scene.unusedNumber()
  await scene.network.phone(number, account)
  await scene.network.scan(number, await client.showQr())
  await client.closed()
  await client.login()
  return { client, number }
}

export const linking = scenarios('linking', {
  'a device is linked by QR and logs in': async (scene) => {
    const client = scene.fresh()
    const number = scene.unusedNumber()
    await scene.network.phone(number)
    await scene.network.scan(number, await client.showQr())
    expect(await client.closed()).toMatchObject({ code: 515 })
    await client.login()
    expect(await online(scene, number)).toBe(true)
    await client.leave()
  },

  'a device is linked by code and logs in': async (scene) => {
    const client = scene.fresh()
    const number = scene.unusedNumber()
    await scene.network.phone(number)
    const code = await client.showCode(number)
    expect(code.replace('-', '')).toMatch(/^[1-9A-HJ-NP-TV-Z]{8}$/)
    await scene.network.typeCode(number, code)
    expect(await client.closed()).toMatchObject({ code: 515 })
    await client.login()
    expect(await online(scene, number)).toBe(true)
    await client.leave()
  },

  'a device logs in again with the keys that it has': async (scene) => {
    const { client, number, network, friend, until } = scene
    await client.leave()
    await until(async () => !(await online(scene, number)))
    const id = await network.write(friend, number, { text: 'while away' })
    await client.login()
    await until(() => client.heard.find((one) => one.id === id))
  },

  'the phone unlinks a device': async (scene) => {
    const { client, number } = await link(scene)
    await scene.network.unlink(number)
    expect(await client.closed()).toMatchObject({ code: 401 })
  },

  'a device unlinks itself': async (scene) => {
    const { client, number } = await link(scene)
    await client.unlink()
    await scene.until(async () => (await scene.network.companions(number)).length === 0)
  },

  'an unlinked device is refused': async (scene) => {
    const { client, number } = await link(scene)
    await client.leave()
    await scene.network.unlink(number)
    await client.tryLogin()
    expect(await client.closed()).toMatchObject({ code: 401 })
  },

  ...Object.fromEntries(
    [true, false].map((lidMigrated) => [
      `an account that was ${lidMigrated ? '' : 'not '}migrated to LIDs writes to a person and is answered`,
      async (scene: Scene) => {
        const { network, friend, until } = scene
        const { client, number } = await link(scene, { lidMigrated })
        const sent = await client.send(friend, { text: 'hello' })
        expect(sent.outcome).toEqual({ kind: 'done' })
        expect(await network.shown(friend, sent.id)).toMatchObject({ text: 'hello' })
        const id = await network.write(friend, number, { text: 'an answer' })
        expect(await until(() => client.heard.find((one) => one.id === id))).toMatchObject({ chat: friend })
        await client.leave()
      },
    ]),
  ),
})
