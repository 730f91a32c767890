// Where costs are measured: a gateway with 20 linked devices and a receiver, and the library alone on the same network.

import { type LinkedDevice, link, makeDevice, makePhone, subscribe } from '../device.ts'
import { type Receiver, startReceiver } from '../receiver.ts'
import { startWorld, unlimited, type World } from '../world.ts'
import { type Library, startLibrary } from './library.ts'
import { sendKeyed } from './send-keyed.ts'

const DEVICES = 20
const INSTANCES = 1000

/** Does `work`, and meanwhile something beside it. */
export type Around = (work: () => Promise<void>) => Promise<void>

export interface CostStage {
  world: World
  receiver: Receiver
  devices: LinkedDevice[]
  library: Library
  /** Somebody who is written to, and one who writes. */
  friend: string
  /** What each row's operations are done within. */
  around: Around
  /** Resolves when there are a thousand instances. */
  thousand(): Promise<void>
  close(): Promise<void>
}

export async function setCostStage(around: Around = (work) => work()): Promise<CostStage> {
  const receiver = await startReceiver()
  const world = await startWorld({ WEBHOOK_ALLOWLIST: receiver.place, LOG_LEVEL: 'warn', ...unlimited })
  const devices: LinkedDevice[] = []
  for (let n = 0; n < DEVICES; n++) {
    const device = await makeDevice(world, `Cost ${n}`)
    await subscribe(device, receiver, ['messages'])
    devices.push(await link(world, device))
  }
  const library = await startLibrary(world, DEVICES)
  let instances = DEVICES
  const stage: CostStage = {
    ...{ world, receiver, devices, library, around },
    friend: await makePhone(world, 'Friend'),
    async thousand() {
      const make = async () => {
        while (instances < INSTANCES)
          await world.admin.post('/instance/init', { name: `Idle ${instances++}` })
      }
      await Promise.all(Array.from({ length: 8 }, make))
    },
    async close() {
      await library.close()
      await world.close()
      await receiver.close()
    },
  }
  // What is made at the first use of anything is nobody's cost an operation.
  await sendKeyed(stage, 2 * DEVICES, 8)
  await library.send(stage.friend, 2 * DEVICES, 8)
  return stage
}
