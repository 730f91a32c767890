// The addresses and process ids of the gateway that runs on a data folder, in a file for people and programs; no secrets.

import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { OperatorError } from '@msgnet/shared/node/operator-errors.ts'
import type { Secrets } from '../keys/gateway-secrets.ts'
import type { Part } from '../processes/part.ts'
import type { Settings } from '../settings/gateway-settings.ts'
import { toUrl } from '../settings/ports.ts'

export interface RunRecord {
  baseUrl: string
  /** Empty when the network is not simulated. */
  simulatorUrl: string
  metricsUrl: string
  edgeMetricsUrl: string
  databaseUrl: string
  /** `host:port` of webhook receivers that need not be public. */
  allowlist: string[]
  /** NETWORK and NETWORK_LOG with which it was started: those of a command's own environment may be others. */
  network: Settings['NETWORK']
  networkLog: string
  /** Names of the seal keys of the edge, and of those of its host. */
  sealKeys: string[]
  hostSealKeys: string[]
  pid: number
  parts: Record<string, number>
}

/** The ids in `id:base64,…`, in that order. */
export const listKeyIds = (sealKeys: string): string[] =>
  sealKeys.split(',').map((entry) => entry.trim().split(':')[0] ?? '')

/** There is no such file, or no such folder. */
const ABSENT = ['ENOENT', 'ENOTDIR']

const toRecordPath = (dataDir: string) => join(dataDir, 'running.json')

export function writeRun(
  settings: Settings,
  state: {
    baseUrl: string
    databaseUrl: string
    secrets: Pick<Secrets, 'sealKeys' | 'hostSealKeys'>
    ports: { simulator: number; metrics: number }
    edgeMetricsUrl: string
    parts: readonly Part[]
  },
): void {
  const run: RunRecord = {
    baseUrl: state.baseUrl,
    simulatorUrl: state.ports.simulator ? `http://127.0.0.1:${state.ports.simulator}` : '',
    databaseUrl: state.databaseUrl,
    metricsUrl: toUrl(settings.METRICS_HOST, state.ports.metrics),
    edgeMetricsUrl: state.edgeMetricsUrl,
    allowlist: settings.WEBHOOK_ALLOWLIST.split(',').filter(Boolean),
    network: settings.NETWORK,
    networkLog: settings.NETWORK_LOG,
    sealKeys: listKeyIds(state.secrets.sealKeys),
    hostSealKeys: listKeyIds(state.secrets.hostSealKeys),
    pid: process.pid,
    parts: Object.fromEntries(state.parts.map((part) => [part.name, part.pid])),
  }
  // Written as a whole, because another program may be reading it.
  const draft = `${toRecordPath(settings.DATA_DIR)}.draft`
  writeFileSync(draft, `${JSON.stringify(run, null, 2)}\n`)
  renameSync(draft, toRecordPath(settings.DATA_DIR))
}

export const deleteRun = (settings: Settings): void =>
  rmSync(toRecordPath(settings.DATA_DIR), { force: true })

/** Undefined if, by this file, nothing runs on the folder. Throws an OperatorError if it cannot be read. */
export function readRun(dataDir: string): RunRecord | undefined {
  const text = readRecord(toRecordPath(dataDir))
  try {
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    // It is written as a whole, so the machine has lost its power, and whatever ran.
    return undefined
  }
}

function readRecord(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (ABSENT.includes(code)) return undefined
    throw new OperatorError(`${path} cannot be read (${code}): it says whether a gateway runs there.`)
  }
}

/** The ports of the parts that have a fixed one by default. */
export function listPorts(run: RunRecord | undefined): ReadonlySet<number> {
  const urls = run ? [run.simulatorUrl, run.metricsUrl, run.edgeMetricsUrl] : []
  return new Set(urls.map((url) => Number(URL.parse(url)?.port)))
}
