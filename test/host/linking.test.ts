// What is on disk when the phone takes a device for linked: the credential that it has signed.

import { CREDS, type CredentialStore } from '@msgnet/session-host/store/credential-store.ts'
import { expect, test } from 'vitest'
import { until } from '../until.ts'
import { startDriver } from './driver.ts'

const ANNA = '5511340000001'

/** As it is when the lease is over, or the disk full, at the moment at which the phone has signed. */
function failSignedWrites(store: CredentialStore, failing: () => boolean): CredentialStore {
  return {
    ...store,
    async write(instance, changes) {
      const signed = changes.some(
        ({ kind, value }) => kind === CREDS && value && Buffer.from(value).includes('"account"'),
      )
      if (signed && failing()) throw new Error('nothing is written now')
      await store.write(instance, changes)
    },
  }
}

test('a device whose signed credential is not on disk is not linked to its phone, and is linked by the next QR', async () => {
  let failing = true
  const world = await startDriver((store) => failSignedWrites(store, () => failing))
  await world.sim('POST', '/phones', { number: ANNA })
  const countDevices = async () =>
    (await world.sim<{ companions: unknown[] }>('GET', `/phones/${ANNA}`)).companions.length
  const instance = crypto.randomUUID()
  const scanCode = async () => {
    const pairing = await world.connectInstance(instance)
    const qr = await until(() => pairing.qr)
    const scanned = world.sim('POST', `/phones/${ANNA}/scan`, { qr }).then(
      () => 'linked',
      () => 'refused',
    )
    await until(() => pairing.closed)
    return scanned
  }

  expect(await scanCode()).toBe('refused')
  expect(await countDevices()).toBe(0)
  expect(await world.driver.readCredentialState(instance)).not.toBe('linked')

  failing = false
  expect(await scanCode()).toBe('linked')
  expect(await countDevices()).toBe(1)
  expect(await world.driver.readCredentialState(instance)).toBe('linked')
  await world.close()
})
