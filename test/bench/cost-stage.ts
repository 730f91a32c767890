// Where costs are measured: a gateway with 20 linked devices and a receiver, and the library alone on the same network.

import { projectRoot } from '@msgnet/cli/build/root.ts'
import { createDevice, createPhone, type LinkedDevice, linkDevice, subscribeReceiver } from '../device.ts'
import { type Receiver, startReceiver } from '../receiver.ts'
import { startWorld, unlimited, type World } from '../world.ts'
import { type Library, startLibrary } from './library.ts'
import { measureKeyedSends } from './send-keyed.ts'

const DEVICES = 20
const INSTANCES = 1000

/** Does `work`, and meanwhile something beside it. */
export type Around = (work: () => Promise<void>) => Promise<void>

export interface CostStage {
  world: World
  receiver: Receiver
  devices: LinkedDevice[]
  library: Library
  /** A phone that gets messages, and one that writes them. */
  friend: string
  /** What each row's operations are done within. */
  around: Around
  /** Resolves when there are a thousand instances. */
  createThousandInstances(): Promise<void>
  close(): Promise<void>
}

/** `root`: the folder whose sources the gateway runs. */
export async function startCostStage(
  around: Around = (work) => work(),
  root: string = projectRoot,
): Promise<CostStage> {
  const receiver = await startReceiver()
  const world = await startWorld(
    { WEBHOOK_ALLOWLIST: receiver.place, LOG_LEVEL: 'warn', ...unlimited },
    undefined,
    { root, args: [] },
  )
  const devices: LinkedDevice[] = []
  for (let n = 0; n < DEVICES; n++) {
    const device = await createDevice(world, `Cost ${n}`)
    await subscribeReceiver(device, receiver, ['messages'])
    devices.push(await linkDevice(world, device))
  }
  const library = await startLibrary(world, DEVICES)
  let instances = DEVICES
  const stage: CostStage = {
    world,
    receiver,
    devices,
    library,
    around,
    friend: await createPhone(world, 'Friend'),
    async createThousandInstances() {
      const createInstances = async () => {
        while (instances < INSTANCES)
          await world.admin.post('/instance/init', { name: `Idle ${instances++}` })
      }
      await Promise.all(Array.from({ length: 8 }, createInstances))
    },
    async close() {
      await library.close()
      await world.close()
      await receiver.close()
    },
  }
  // The cost of first uses is not part of the cost of an operation.
  await measureKeyedSends(stage, 2 * DEVICES, 8)
  await library.sendMessages(stage.friend, 2 * DEVICES, 8)
  return stage
}
