// The edge on this machine: a Node process, or the worker that wrangler would upload, under Miniflare.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { locateProgram } from '@msgnet/shared/node/locate-program.ts'
import { projectRoot } from '../build/root.ts'
import type { Secrets } from '../keys/gateway-secrets.ts'
import type { PartPlan } from '../processes/part.ts'
import { quickArgs, quickEnv } from '../processes/quick-node.ts'
import type { Settings } from '../settings/gateway-settings.ts'
import type { DatabaseAccess } from './database-part.ts'
import type { SimulationServer } from './simulation-server.ts'

export interface EdgeAddresses {
  port: number
  metricsPort: number
  /** While the network is simulated. */
  simulation?: Pick<SimulationServer, 'url' | 'key' | 'place'> | undefined
}

export function planEdge(
  settings: Settings,
  secrets: Pick<Secrets, 'adminToken' | 'sealKeys'>,
  database: DatabaseAccess,
  addresses: EdgeAddresses,
): PartPlan {
  const engine = runsInNode(settings) ? planNode : planMiniflare
  return {
    name: 'edge',
    ...engine(settings, buildEdgeEnvironment(settings, secrets, database, addresses)),
    logFile: join(settings.DATA_DIR, 'logs', 'edge.log'),
    stopTimeoutMs: 5000,
  }
}

/** The environment of the edge's process. Secrets are passed in it only, never in a configuration or on the command line. */
export const buildEdgeEnvironment = (
  settings: Settings,
  secrets: Pick<Secrets, 'adminToken' | 'sealKeys'>,
  database: DatabaseAccess,
  { port, metricsPort, simulation }: EdgeAddresses,
): Record<string, string> => ({
  ...buildEdgeBindings(settings, secrets, database),
  ...(simulation && buildSimulationBindings(settings, simulation)),
  LISTENS_AT: `http://${settings.HOST}:${port}`,
  EDGE_HOST: settings.HOST,
  EDGE_PORT: String(port),
  EDGE_METRICS_PORT: String(metricsPort),
  DATA_DIR: settings.DATA_DIR,
})

/** Whether the edge is a Node process, which can have its database as a file. */
export const runsInNode = ({ EDGE_ENGINE }: Settings): boolean => EDGE_ENGINE === 'node'

type Command = Pick<PartPlan, 'command' | 'args' | 'env' | 'ipc'>

/** MiB. A small young heap is collected in short pauses; a still smaller one at the start is collected too often. */
const YOUNG_HEAP = ['--min-semi-space-size=8', '--max-semi-space-size=8']

const planNode = (_: Settings, environment: Record<string, string>): Command => ({
  command: process.execPath,
  args: [...YOUNG_HEAP, ...quickArgs, locateProgram('../../edge/node/edge-process.ts', import.meta.url)],
  env: { ...quickEnv, ...environment },
  ipc: true,
})

function planMiniflare(settings: Settings, environment: Record<string, string>): Command {
  const objects = join(settings.DATA_DIR, 'edge')
  mkdirSync(objects, { recursive: true })
  return {
    command: process.execPath,
    args: [join(projectRoot, 'cli', 'cloudflare', 'run-worker.ts')],
    env: {
      ...environment,
      EDGE_STATE: objects,
      // Variables that are not set keep the value of wrangler.toml.
      EDGE_BINDINGS: JSON.stringify(
        Object.fromEntries(Object.entries(environment).filter(([, value]) => value)),
      ),
      EDGE_EVICTS: settings.EDGE_ENGINE === 'miniflare-evicting' ? 'on' : 'off',
    },
    ipc: true,
  }
}

const buildSimulationBindings = (
  { WEBHOOK_ALLOWLIST }: Settings,
  { url, key, place }: Pick<SimulationServer, 'url' | 'key' | 'place'>,
): Record<string, string> => ({
  LABORATORY_URL: url,
  LABORATORY_KEY: key,
  WEBHOOK_ALLOWLIST: [WEBHOOK_ALLOWLIST, place].filter(Boolean).join(),
})

function buildEdgeBindings(
  settings: Settings,
  secrets: Pick<Secrets, 'adminToken' | 'sealKeys'>,
  database: DatabaseAccess,
): Record<string, string> {
  return {
    DATABASE_URL: database.url,
    DATABASE_TOKEN: database.token,
    ADMIN_TOKEN: secrets.adminToken,
    SEAL_KEYS: secrets.sealKeys,
    WEBHOOK_ALLOWLIST: settings.WEBHOOK_ALLOWLIST,
    WEBHOOKS: settings.WEBHOOKS,
    GLOBAL_WEBHOOK_URL: settings.GLOBAL_WEBHOOK_URL ?? '',
    GLOBAL_WEBHOOK_EVENTS: settings.GLOBAL_WEBHOOK_EVENTS,
    GLOBAL_WEBHOOK_SECRET: settings.GLOBAL_WEBHOOK_SECRET,
    CALLS: settings.CALLS,
    INTERACTIVE: settings.INTERACTIVE,
    MEDIA: settings.MEDIA,
    CORS_ORIGINS: settings.CORS_ORIGINS,
    PUBLIC_URL: settings.PUBLIC_URL,
    MCP: settings.MCP,
    MCP_TOOLS: settings.MCP_TOOLS,
    COMPATIBILITY: settings.COMPATIBILITY,
    DIALECTS: settings.DIALECTS,
    CLOUD_TEMPLATES: settings.CLOUD_TEMPLATES,
    LOCAL_PROXIES: settings.LOCAL_PROXIES,
    ACTION_TIMEOUT_MS: String(settings.ACTION_TIMEOUT_MS),
    LEASE_MS: String(settings.LEASE_MS),
    SEND_RATE: String(settings.SEND_RATE),
    SEND_BURST: String(settings.SEND_BURST),
    REQUEST_RATE: String(settings.REQUEST_RATE),
    STREAM_RATE: String(settings.STREAM_RATE),
    WEBHOOK_CHANGE_RATE: String(settings.WEBHOOK_CHANGE_RATE),
    PAGE_MB: String(settings.PAGE_MB),
    OPEN_PAGE_MB: String(settings.OPEN_PAGE_MB),
    INSTANCE_BODY_MB: String(settings.INSTANCE_BODY_MB),
    BODY_MB: String(settings.BODY_MB),
    LOG_LEVEL: settings.LOG_LEVEL,
    KEEP_EVENTS_DAYS: String(settings.KEEP_EVENTS_DAYS),
    KEEP_AUDIT_DAYS: String(settings.KEEP_AUDIT_DAYS),
    CLIENT_ADDRESS_HEADER: settings.CLIENT_ADDRESS_HEADER,
    EDGE_METRICS_HOST: settings.EDGE_METRICS_HOST,
  }
}
