// Outages of devices: the network or the phone ends them, or does not answer.

import { join } from 'node:path'
import { createClient } from '@libsql/client'
import { DAY, MINUTE } from '@msgnet/shared/date-time.ts'
import { createDevice, createQuietPhone, linkDevice, waitUntilConnected } from '../../device.ts'
import { combineWorks, type Outage, repeatWork, sendText } from './outage.ts'

export const devices: Outage[] = [
  {
    what: 'the network bans the account (403)',
    alerts: ['DeviceBanned'],
    async begin({ world, device }) {
      await world.sim('POST', '/faults', { kind: 'login', number: device.number, code: 403 })
      await world.sim('POST', '/faults', { kind: 'close', number: device.number })
      return async () => {
        await world.sim('DELETE', '/faults')
        await device.caller.post('/instance/connect')
        await waitUntilConnected(device, 60_000)
      }
    },
  },
  {
    what: 'the phone logs the device out',
    alerts: ['DeviceLoggedOut'],
    async begin(stage) {
      const { world, device } = stage
      await world.sim('POST', `/phones/${device.number}/unlink`, {})
      return async () => {
        stage.device = await linkDevice(world, device)
      }
    },
  },
  {
    what: 'the network refuses the announced version',
    alerts: ['VersionOutdated'],
    async begin({ world, device }) {
      await world.sim('PATCH', '/network', { oldestVersion: '2.3000.2000000000' })
      await world.sim('POST', '/faults', { kind: 'close', number: device.number })
      return async () => {
        await world.sim('PATCH', '/network', { oldestVersion: null })
        await device.caller.post('/instance/connect')
        await waitUntilConnected(device, 60_000)
      }
    },
  },
  {
    what: 'the network is away',
    alerts: ['SessionsDown'],
    async begin({ world }) {
      await world.sim('POST', '/faults', { kind: 'unreachable' })
      await world.sim('POST', '/faults', { kind: 'close' })
      return () => world.sim('DELETE', '/faults')
    },
  },
  {
    what: 'the network is away, and a scheduled message was due 16 minutes ago',
    alerts: ['ScheduledOverdue'],
    async begin({ world, device, friend }) {
      const sendAt = new Date(Date.now() + DAY).toISOString()
      await device.caller.post('/send/text', { number: friend, text: 'at a time', sendAt })
      await world.sim('POST', '/faults', { kind: 'unreachable' })
      await world.sim('POST', '/faults', { kind: 'close' })
      const store = createClient({ url: `file:${join(world.dataDir, 'host', 'host.db')}`, timeout: 5000 })
      await store.execute({ sql: 'update scheduled set due_at = ?', args: [Date.now() - 16 * MINUTE] })
      store.close()
      return () => world.sim('DELETE', '/faults')
    },
  },
  {
    what: 'the network drops twenty devices every second',
    alerts: ['ReconnectStorm'],
    async begin({ world }) {
      for (let n = 0; n < 20; n++) await linkDevice(world, await createDevice(world))
      return repeatWork(1000, () => world.sim('POST', '/faults', { kind: 'close' }))
    },
  },
  {
    what: 'the network acknowledges no message of an account',
    alerts: ['ActionsUnknown'],
    async begin(stage) {
      const { world, device } = stage
      // A receipt of the phone would prove the send.
      const quiet = await createQuietPhone(world)
      await world.sim('POST', '/faults', { kind: 'silent', tag: 'message', number: device.number })
      return combineWorks(
        repeatWork(500, () => sendText(stage, quiet)),
        () => world.sim('DELETE', '/faults'),
      )
    },
  },
]
