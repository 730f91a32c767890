// The unmodified library alone on the same simulated network: what our sends and receipts are measured against.

import { createPhone } from '../device.ts'
import { Client } from '../wire/client.ts'
import type { World } from '../world.ts'

export interface RawDevice {
  number: string
  client: Client
}

export async function linkRawDevices(world: World, count: number): Promise<RawDevice[]> {
  const { url } = await world.sim('GET', '/network')
  const devices: RawDevice[] = []
  for (let n = 0; n < count; n++) {
    // The library writes to the number that it is given.
    const number = await createPhone(world, 'Raw', { lidMigrated: false })
    const client = new Client(() => String(url))
    client.connect()
    await world.sim('POST', `/phones/${number}/scan`, { qr: await client.waitForQr() })
    // The network asks for a new connection after pairing: the library leaves that to its user.
    await client.waitForClose()
    await client.goOnline()
    devices.push({ number, client })
  }
  return devices
}
