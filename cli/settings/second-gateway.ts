// A second gateway on one machine needs another PORT and no other variable: what it takes in place of the defaults that the first one has.

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { isPackaged } from '@msgnet/shared/node/locate-program.ts'
import { showPath } from './shown-path.ts'
import { DEMO } from './start-options.ts'

export const DEFAULT_PORT = 8787
/** Whoever starts the package is in a folder of their own, and is to see it there. */
const DEFAULT_DATA_DIR = isPackaged ? 'msgnet-data' : '.data'

/** Whether defaults may give way. At the default port they never do, so that a gateway is where its callers look for it. */
export const isSecondGateway = (port: number): boolean => port !== DEFAULT_PORT

/** Undefined at port 0, which is another port after each start. */
export const nameOwnFolder = (port: number): string | undefined =>
  isSecondGateway(port) && port > 0 ? `${DEFAULT_DATA_DIR}-${port}` : undefined

/** The folder of the gateway at this port if DATA_DIR is not set. Once it has one of its own, it never takes the other again. */
export function findDataDir(port: number): string {
  const own = nameOwnFolder(port)
  return own !== undefined && existsSync(own) ? own : DEFAULT_DATA_DIR
}

/** The command for the demo that finds the gateway of this folder. */
export function nameDemo(dataDir: string, port: number): string {
  const command = DEMO
  if (dataDir === resolve(DEFAULT_DATA_DIR)) return command
  const isOwn = dataDir === resolve(nameOwnFolder(port) ?? DEFAULT_DATA_DIR)
  return isOwn ? `PORT=${port} ${command}` : `DATA_DIR=${showPath(dataDir)} ${command}`
}
