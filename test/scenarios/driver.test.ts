// Our driver runs through the table of scenarios.

import { afterAll, beforeAll } from 'vitest'
import { type DriverWorld, startDriver } from '../host/driver.ts'
import { driverDifferences } from './differences.ts'
import { DriverClient } from './driver-client.ts'
import { Network } from './network.ts'
import { runTable } from './run.ts'
import { openScene, type Scene } from './scenario.ts'
import { table } from './table.ts'

let world: DriverWorld
let scene: Scene

beforeAll(async () => {
  const stored = new Map<string, Uint8Array<ArrayBuffer>>()
  world = await startDriver(undefined, { findStoredMessage: async (_, id) => stored.get(id) })
  scene = await openScene(new Network(world.controlUrl), () => new DriverClient(world, stored))
})
afterAll(() => world.close())

runTable(table, () => scene, driverDifferences)
