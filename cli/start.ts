// `npm start`: runs the whole gateway on one machine until Ctrl-C. With `--watch` it is `npm run dev`.

import { mkdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { buildPages } from './build/page-modules.ts'
import { prepareDatabaseFile, refuseDatabaseFile } from './data-folder/database-file.ts'
import { refuseNewerFormat } from './data-folder/folder-format.ts'
import { openDataFolder } from './data-folder/open-data-folder.ts'
import { deleteRun, listPorts, readRun, writeRun } from './data-folder/run-record.ts'
import { loadSecrets } from './keys/gateway-secrets.ts'
import { moveToHostKeys } from './keys/host-keys.ts'
import { migrateEdge } from './migrate.ts'
import {
  createDatabaseToken,
  type DatabaseAccess,
  loadDatabaseKey,
  planDatabase,
} from './parts/database-part.ts'
import { planEdge, runsInNode } from './parts/edge-part.ts'
import { planHost, registerHost } from './parts/host-part.ts'
import { openLaboratory } from './parts/laboratory-server.ts'
import { type NetworkAccess, planSimulator, readSimulatedNetwork } from './parts/simulator-part.ts'
import { openInBrowser } from './processes/open-browser.ts'
import { createSupervisor } from './processes/part-supervisor.ts'
import { waitForStop } from './processes/stop-signal.ts'
import { watchSources } from './processes/watch-sources.ts'
import { describeCompatibility } from './settings/describe-compatibility.ts'
import { OperatorError, readSettings } from './settings/gateway-settings.ts'
import { allowSecondReceiver, claimPorts, freePort, toUrl } from './settings/ports.ts'
import { runCommand } from './settings/run-command.ts'
import { nameDemo } from './settings/second-gateway.ts'

const printLine = (line: string) => console.log(line)
// Its lines are for people: if they go to a file on a full disk, the gateway goes on.
process.stdout.on('error', () => undefined)
const flag = { type: 'boolean', default: false } as const

async function startGateway(stopReason: Promise<string>): Promise<void> {
  const startedAt = performance.now()
  const { watch: watching, open: opening } = parseArgs({ options: { watch: flag, open: flag } }).values
  const { lock, ...opened } = await openDataFolder(readSettings(process.env))
  if (watching && !runsInNode(opened.settings))
    throw new OperatorError('npm run dev runs the edge in Node: leave EDGE_ENGINE out.')
  const settings = { ...opened.settings, WEBHOOK_ALLOWLIST: await allowSecondReceiver(opened.settings) }
  refuseNewerFormat(settings.DATA_DIR)
  mkdirSync(join(settings.DATA_DIR, 'logs'), { recursive: true })
  const secrets = await loadSecrets(settings)
  const simulated = settings.NETWORK === 'simulator' && !settings.NETWORK_URL
  const previousPorts = listPorts(readRun(settings.DATA_DIR))
  const ports = await claimPorts(settings, { simulated, previousPorts })
  const edgeMetricsUrl = toUrl(settings.EDGE_METRICS_HOST, ports.edgeMetrics)
  const baseUrl = `http://${settings.HOST}:${ports.edge}`
  let databaseUrl = ''
  const recordRun = () =>
    writeRun(settings, { baseUrl, databaseUrl, secrets, ports, edgeMetricsUrl, parts: supervisor.parts })
  const supervisor = createSupervisor(printLine, recordRun, { maxMb: settings.LOG_KEEP_MB })

  const laboratory = simulated
    ? await openLaboratory({
        simulatorPort: ports.simulator,
        getHostPid: () => supervisor.getPid('session host'),
      })
    : undefined

  async function openDatabase(): Promise<DatabaseAccess> {
    if (settings.DATABASE_URL) return { url: settings.DATABASE_URL, token: settings.DATABASE_TOKEN ?? '' }
    if (runsInNode(settings)) return prepareDatabaseFile(settings, printLine)
    refuseDatabaseFile(settings)
    const port = await freePort()
    const key = loadDatabaseKey(settings.DATA_DIR)
    await supervisor.start(planDatabase(settings.DATA_DIR, port, key))
    return { url: `http://127.0.0.1:${port}`, token: createDatabaseToken(key) }
  }

  async function openNetwork(): Promise<NetworkAccess> {
    if (!simulated) {
      const {
        NETWORK_URL: url = '',
        NETWORK_ROOT_KEY: rootKey = '',
        NETWORK_MEDIA_CA: mediaCa = '',
      } = settings
      return { url, rootKey, mediaCa }
    }
    await supervisor.start(planSimulator(settings, ports.simulator))
    return readSimulatedNetwork(ports.simulator)
  }

  async function openEdge(): Promise<void> {
    const [database] = await Promise.all([openDatabase(), buildPages()])
    databaseUrl = database.url
    await migrateEdge(database)
    const addresses = { port: ports.edge, metricsPort: ports.edgeMetrics, laboratory }
    await supervisor.start(planEdge(settings, secrets, database, addresses))
  }

  let watcher: { stop(): void } | undefined
  async function openGateway(): Promise<void> {
    const moved = moveToHostKeys(settings, secrets)
    const [network] = await Promise.all([openNetwork(), openEdge(), moved])
    const token = await registerHost(baseUrl, settings, secrets)
    await supervisor.start(
      planHost(settings, secrets, { baseUrl, token, network, metricsPort: ports.metrics }),
    )
    recordRun()
    if (watching) watcher = watchSources(supervisor.parts, printLine)
    printLine(formatWelcome())
    if (opening) openInBrowser(`${baseUrl}/console`, printLine)
  }

  function formatWelcome(): string {
    const adminToken = secrets.adminTokenSource
    const shown = adminToken.startsWith('/') ? relative(process.cwd(), adminToken) : adminToken
    return [
      '',
      '  msgnet gateway',
      '',
      `  API          ${baseUrl}`,
      `  Console      ${baseUrl}/console`,
      `  Docs         ${baseUrl}/docs`,
      ...(simulated ? [`  Simulator    http://127.0.0.1:${ports.simulator}/sim`] : []),
      `  Metrics      http://${settings.METRICS_HOST}:${ports.metrics}/metrics`,
      `               ${edgeMetricsUrl}/metrics`,
      `  Admin token  ${shown}`,
      ...describeCompatibility(settings).map((line) => `  ${line}`),
      `  Logs         ${relative(process.cwd(), join(settings.DATA_DIR, 'logs'))}/`,
      '',
      `  ready in ${((performance.now() - startedAt) / 1000).toFixed(1)} s${simulated ? `; now try: ${nameDemo(settings.DATA_DIR, settings.PORT)}` : ''}`,
      '',
    ].join('\n')
  }

  try {
    const opened = openGateway()
    printLine(`${await Promise.race([stopReason, opened.then(() => stopReason)])}: stopping.`)
  } finally {
    watcher?.stop()
    deleteRun(settings)
    await supervisor.stop()
    laboratory?.close()
    lock.release()
  }
}

await runCommand(() => startGateway(waitForStop()))
// A start that was interrupted may still wait for an answer.
process.exit()
