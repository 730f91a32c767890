// The doctor: runs all checks that the settings allow. None logs in, and none leaves anything changed.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { createBaileysDriver, ownVersion } from '../driver/baileys/baileys-driver.ts'
import { createProxyAgents } from '../driver/baileys/connection/proxy-agents.ts'
import { describeFailure } from '../driver/site/fetch-text.ts'
import { fetchSite } from '../driver/site/network-site.ts'
import { createSilentLog } from '../process/host-log.ts'
import { machineClock } from '../process/machine-clock.ts'
import { createCredentialsInMemory } from '../store/credentials-in-memory.ts'
import { readDevice } from './check-device.ts'
import { checkClock, checkDisk, checkFolder, checkLock, checkNode, checkOpenFiles } from './check-machine.ts'
import { checkMediaStore } from './check-media-store.ts'
import { ANSWER_WITHIN_MS, checkExit, checkHandshake, checkMediaHost, checkVersion } from './check-network.ts'
import { type Finding, fail, ok } from './doctor-finding.ts'

export interface DoctorOptions {
  instance?: string | undefined
  proxy?: string | undefined
  /** Of files, as `name` or `name:port`. */
  mediaHosts: string[]
  /** A page that says the caller's address; without one no exit is asked for. */
  echo?: string | undefined
  /** Milliseconds for the network's first answer. */
  within?: number
}

type HostConfig = Pick<
  Config,
  'dataDir' | 'slots' | 'network' | 'localProxies' | 'sealKeys' | 'sharedStore' | 'actionTimeoutMs' | 'media'
>

export async function runChecks(config: HostConfig, options: DoctorOptions): Promise<Finding[]> {
  const { dataDir, slots } = config
  const machine = await Promise.all([
    checkNode(),
    checkOpenFiles(slots),
    checkFolder(dataDir),
    checkLock(dataDir),
    checkDisk(dataDir),
    checkMediaStore(config.media, dataDir, options.within),
  ])
  const device = options.instance === undefined ? undefined : await examineDevice(config, options.instance)
  const proxy = options.proxy ?? (device?.proxy || undefined)
  return [...machine, ...(await examineNetwork(config, options, proxy)), ...(device?.findings ?? [])]
}

async function examineDevice({ dataDir, sharedStore, sealKeys }: HostConfig, instance: string) {
  const file = join(dataDir, 'host', 'host.db')
  if (sharedStore)
    return {
      findings: [ok('device', 'the store is on a server: its rows are not read from here')],
      proxy: '',
    }
  if (!existsSync(file))
    return {
      findings: [fail('device', `there is no store at ${file}`, 'Name its folder: DATA_DIR or --folder')],
      proxy: '',
    }
  return readDevice(file, sealKeys, instance).catch((error) => ({
    findings: [
      fail(
        'device',
        `the store cannot be read: ${describeFailure(error)}`,
        'Run this as the user of the host.',
      ),
    ],
    proxy: '',
  }))
}

async function examineNetwork(
  config: HostConfig,
  { mediaHosts, echo, within = ANSWER_WITHIN_MS }: DoctorOptions,
  proxy: string | undefined,
): Promise<Finding[]> {
  const { url, mediaCa, rootKey, version: setting } = config.network
  // One that follows the site is announced as the library has it until the network refuses that: this says whether it does.
  const version = setting === 'auto' ? undefined : setting
  const local = config.localProxies
  const agents = proxy === undefined ? undefined : createProxyAgents(proxy, url, { local })
  const site = await fetchSite(url, agents?.socket, within)
  const arrivedAt = Date.now()
  const driver = createBaileysDriver({
    url,
    credentials: createCredentialsInMemory(),
    clock: machineClock,
    log: createSilentLog(),
    ...(rootKey && { rootKey }),
    ...(version && { version }),
    actionTimeoutMs: config.actionTimeoutMs,
    localProxies: local,
    lease: { runs: true },
    getPendingWrites: () => undefined,
    findStoredMessage: async () => undefined,
    findGroup: async () => undefined,
  })
  const findings = [
    ...(proxy !== undefined && echo !== undefined ? [await checkExit(proxy, echo, local)] : []),
    checkVersion(version?.join('.') ?? ownVersion, site),
    checkClock(site?.date, arrivedAt),
    await checkHandshake(driver, url, proxy, within),
    ...(await Promise.all(mediaHosts.map((host) => checkMediaHost(host, mediaCa, agents?.files)))),
  ]
  agents?.close()
  return findings
}
