// A scenario: what a driver is put through, and the scene that it plays in.

import { until } from '../until.ts'
import type { Client } from './client.ts'
import type { Network } from './network.ts'

export interface Scene {
  /** Waits for what the driver is expected to do. */
  until: typeof until
  network: Network
  /** Linked and online at the start of each scenario; most of them share it. */
  client: Client
  /** Its account. */
  number: string
  friend: string
  other: string
  /** A device that is not linked yet. */
  createClient(): Client
  /** A number that nothing has used so far. */
  nextNumber(): string
}

export interface Scenario {
  /** The part of the driver that it is about. */
  about: string
  name: string
  run(scene: Scene): Promise<void>
}

/** The scenarios of one part. */
export const createScenarios = (about: string, runs: Record<string, Scenario['run']>): Scenario[] =>
  Object.entries(runs).map(([name, run]) => ({ about, name, run }))

/** What is to be known of a driver that a scenario shows to differ. */
export interface Difference {
  /** In the error with which the scenario fails. */
  shows: string
  /** For the page: what it does instead, and why. */
  how: string
}

/** Two people, and an account with a device that is linked and online. */
export async function openScene(network: Network, fresh: () => Client): Promise<Scene> {
  let used = 491700000200
  const nextNumber = () => String(used++)
  const scene = {
    network,
    client: fresh(),
    number: nextNumber(),
    friend: nextNumber(),
    other: nextNumber(),
  }
  for (const number of [scene.number, scene.friend, scene.other]) await network.createPhone(number)
  await network.scanCode(scene.number, await scene.client.showQr())
  await scene.client.waitUntilClosed()
  await scene.client.login()
  return { ...scene, until, createClient: fresh, nextNumber }
}
