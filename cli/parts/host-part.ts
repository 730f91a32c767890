// The session host on this machine: it is registered with the edge once, and its token is stored in the data folder.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { locateProgram } from '@msgnet/shared/node/locate-program.ts'
import { OperatorError } from '@msgnet/shared/node/operator-errors.ts'
import type { Secrets } from '../keys/gateway-secrets.ts'
import { writeSecret } from '../keys/secret-file.ts'
import type { PartPlan } from '../processes/part.ts'
import { quickArgs, quickEnv } from '../processes/quick-node.ts'
import type { Settings } from '../settings/gateway-settings.ts'
import type { NetworkAccess } from './simulator-part.ts'

const REGION = 'local'
const STOP_TIMEOUT_MS = 20_000

interface Registration {
  id: string
  token: string
}

/** The token of this machine's host; a new one is requested from the edge if there is none, or if the edge no longer knows it. */
export async function registerHost(baseUrl: string, settings: Settings, secrets: Secrets): Promise<string> {
  const file = join(settings.DATA_DIR, 'host-token')
  const slots = settings.HOST_SLOTS
  const headers = { admintoken: secrets.adminToken, 'content-type': 'application/json' }
  if (existsSync(file)) {
    const [id = '', token = ''] = readFileSync(file, 'utf8').trim().split(' ')
    const { hosts } = (await requestEdge(`${baseUrl}/v1/hosts`, { headers })) as { hosts: { id: string }[] }
    if (hosts.some((host) => host.id === id)) {
      await requestEdge(`${baseUrl}/v1/hosts/${id}/slots`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ slots }),
      })
      return token
    }
  }
  const created = await requestEdge(`${baseUrl}/v1/hosts`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ region: REGION, slots }),
  })
  const { host, token } = created as { host: { id: string }; token: string }
  const registration: Registration = { id: host.id, token }
  writeSecret(file, `${registration.id} ${registration.token}`)
  return token
}

async function requestEdge(url: string, request: RequestInit): Promise<unknown> {
  const response = await fetch(url, request)
  if (!response.ok) {
    throw new OperatorError(
      `The edge refused to register this host (${response.status}): ${await response.text()}`,
    )
  }
  return response.json()
}

/** MiB. At Node's default of 16 each garbage collection stops every session for 20 to 50 ms; at 4 a send costs more, and no wait is shorter. */
const YOUNG_HEAP = '--max-semi-space-size=8'

/** The old heap is collected when it has grown by half. By default it may grow to four times its size, mostly garbage. */
const WHOLE_HEAP = '--heap-growing-percent=50'

/** The variables that programs of the host share. */
export const buildHostVariables = (settings: Settings, network: NetworkAccess) => ({
  DATA_DIR: settings.DATA_DIR,
  NETWORK: settings.NETWORK,
  NETWORK_URL: network.url,
  NETWORK_ROOT_KEY: network.rootKey,
  NETWORK_MEDIA_CA: network.mediaCa,
  NETWORK_VERSION: settings.NETWORK_VERSION ?? '',
  SESSION_STORE_URL: settings.SESSION_STORE_URL ?? '',
  LOCAL_PROXIES: settings.LOCAL_PROXIES,
  HOST_SLOTS: String(settings.HOST_SLOTS),
  INSECURE: settings.INSECURE,
  MEDIA: settings.MEDIA,
  MEDIA_STORE_URL: settings.MEDIA_STORE_URL ?? '',
  KEEP_MEDIA_DAYS: String(settings.KEEP_MEDIA_DAYS),
  MEDIA_MAX_MB: String(settings.MEDIA_MAX_MB),
  MEDIA_TOTAL_GB: String(settings.MEDIA_TOTAL_GB),
  MEDIA_STRANGERS_MB: String(settings.MEDIA_STRANGERS_MB),
  DOWNLOAD_MB: String(settings.DOWNLOAD_MB),
})

export function planHost(
  settings: Settings,
  secrets: Secrets,
  {
    baseUrl,
    token,
    network,
    metricsPort,
  }: { baseUrl: string; token: string; network: NetworkAccess; metricsPort: number },
): PartPlan {
  return {
    name: 'session host',
    command: process.execPath,
    args: [
      YOUNG_HEAP,
      WHOLE_HEAP,
      ...quickArgs,
      locateProgram('../../session-host/run-host.ts', import.meta.url),
    ],
    env: {
      ...quickEnv,
      EDGE_URL: baseUrl,
      HOST_TOKEN: token,
      ...buildHostVariables(settings, network),
      // The settings of the operator are checked by the launcher. The edge is on this machine, whatever address it listens on.
      INSECURE: 'on',
      DEVICE_NAME: settings.DEVICE_NAME,
      DEVICE_PLATFORM: settings.DEVICE_PLATFORM,
      SESSION_STORE_TOKEN: settings.SESSION_STORE_TOKEN,
      NETWORK_LOG: settings.NETWORK_LOG,
      CANARY: settings.CANARY ?? '',
      CANARY_SECONDS: String(settings.CANARY_SECONDS),
      FFMPEG: settings.FFMPEG ?? '',
      DM_ADDRESSING: settings.DM_ADDRESSING,
      HOST_SEAL_KEYS: secrets.hostSealKeys,
      ACTION_TIMEOUT_MS: String(settings.ACTION_TIMEOUT_MS),
      SEND_RATE: String(settings.SEND_RATE),
      SEND_BURST: String(settings.SEND_BURST),
      LOG_LEVEL: settings.LOG_LEVEL,
      KEEP_MESSAGES_DAYS: String(settings.KEEP_MESSAGES_DAYS),
      DISAPPEARED: settings.DISAPPEARED,
      METRICS_PORT: String(metricsPort),
      METRICS_HOST: settings.METRICS_HOST,
    },
    logFile: join(settings.DATA_DIR, 'logs', 'host.log'),
    stopTimeoutMs: STOP_TIMEOUT_MS,
    ipc: true,
  }
}
