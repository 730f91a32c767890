// The network of the session host: the simulated one on this machine, or the live one.

import { join } from 'node:path'
import { locateProgram } from '@msgnet/shared/node/locate-program.ts'
import type { PartPlan } from '../processes/part.ts'
import { quickArgs, quickEnv } from '../processes/quick-node.ts'
import type { Settings } from '../settings/gateway-settings.ts'

export interface NetworkAccess {
  /** Empty for the live network's own key. */
  url: string
  rootKey: string
  /** In PEM; empty if media hosts have certificates of public authorities. */
  mediaCa: string
}

export function planSimulator(settings: Settings, port: number): PartPlan {
  return {
    name: 'simulator',
    command: process.execPath,
    args: [...quickArgs, locateProgram('../../simulator/run-simulator.ts', import.meta.url)],
    env: { ...quickEnv, SIMULATOR_PORT: String(port), DATA_DIR: settings.DATA_DIR },
    logFile: join(settings.DATA_DIR, 'logs', 'simulator.log'),
    stopTimeoutMs: 5000,
    ipc: true,
  }
}

/** Reads the address of the simulated network and the root of its certificates from itself. */
export async function readSimulatedNetwork(port: number): Promise<NetworkAccess> {
  const response = await fetch(`http://127.0.0.1:${port}/sim/network`)
  return (await response.json()) as NetworkAccess
}
