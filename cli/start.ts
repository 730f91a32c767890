// `npm start`: runs the whole gateway on one machine until Ctrl-C. With `--watch` it is `npm run dev`.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { onTimeMoved } from '@msgnet/shared/node/laboratory-time.ts'
import { isPackaged } from '@msgnet/shared/node/locate-program.ts'
import { OperatorError } from '@msgnet/shared/node/operator-errors.ts'
import { runCommand } from '@msgnet/shared/node/run-command.ts'
import { arePagesBuilt } from './build/page-files.ts'
import { readVersion } from './build/root.ts'
import { buildWorker, isWorkerBuilt } from './build/uploaded-worker.ts'
import { prepareDatabaseFile, refuseDatabaseFile } from './data-folder/database-file.ts'
import { refuseNewerFormat } from './data-folder/folder-format.ts'
import { openDataFolder } from './data-folder/open-data-folder.ts'
import { deleteRun, listPorts, readRun, writeRun } from './data-folder/run-record.ts'
import { loadSecrets, type Secrets } from './keys/gateway-secrets.ts'
import { migrateEdge } from './migrate.ts'
import {
  createDatabaseToken,
  type DatabaseAccess,
  loadDatabaseKey,
  planDatabase,
} from './parts/database-part.ts'
import { planEdge, runsInNode } from './parts/edge-part.ts'
import { planHost, registerHost } from './parts/host-part.ts'
import { SimulationServer } from './parts/simulation-server.ts'
import { type NetworkAccess, planSimulator, readSimulatedNetwork } from './parts/simulator-part.ts'
import { buildPagesApart } from './processes/build-pages-apart.ts'
import { openInBrowser } from './processes/open-browser.ts'
import { PartSupervisor } from './processes/part-supervisor.ts'
import { waitForStop } from './processes/stop-signal.ts'
import { describeCompatibility } from './settings/describe-compatibility.ts'
import { describeLinks } from './settings/describe-links.ts'
import { readSettings, type Settings } from './settings/gateway-settings.ts'
import { allowSecondReceiver, claimPorts, freePort, toUrl } from './settings/ports.ts'
import { nameDemo } from './settings/second-gateway.ts'
import { showPath } from './settings/shown-path.ts'
import { addOptions, formatHelp, readStartOptions } from './settings/start-options.ts'

const printLine = (line: string) => console.log(line)
// Its lines are for people: if they go to a file on a full disk, the gateway goes on.
process.stdout.on('error', () => undefined)

interface StartOptions {
  watch: boolean
  open: boolean
  /** By `performance.now()`. */
  startedAt: number
}

type Ports = Awaited<ReturnType<typeof claimPorts>>

/** All parts of one gateway on this machine, with the folder that it has locked. */
class LocalGateway {
  readonly #options: StartOptions
  readonly #settings: Settings
  readonly #secrets: Secrets
  readonly #ports: Ports
  readonly #supervisor: PartSupervisor
  readonly #isSimulated: boolean
  #simulation: SimulationServer | undefined
  #watcher: { stop(): void } | undefined
  #databaseUrl = ''

  constructor(options: StartOptions, settings: Settings, secrets: Secrets, ports: Ports) {
    this.#options = options
    this.#settings = settings
    this.#secrets = secrets
    this.#ports = ports
    this.#isSimulated = isSimulated(settings)
    this.#supervisor = new PartSupervisor(printLine, () => this.#recordRun(), { maxMb: settings.LOG_KEEP_MB })
    onTimeMoved((ahead) => this.#supervisor.moveTime(ahead))
  }

  get #baseUrl(): string {
    return toUrl(this.#settings.HOST, this.#ports.edge)
  }

  get #edgeMetricsUrl(): string {
    return toUrl(this.#settings.EDGE_METRICS_HOST, this.#ports.edgeMetrics)
  }

  /** Starts part after part, and prints the addresses when all of them answer. */
  async start(): Promise<void> {
    const [network] = await Promise.all([this.#startNetwork(), this.#startEdge()])
    await this.#startHost(network)
    this.#recordRun()
    if (this.#options.watch) {
      const { watchSources } = await import('./processes/watch-sources.ts')
      this.#watcher = watchSources(this.#supervisor.parts, printLine)
    }
    printLine(this.#formatWelcome())
    if (this.#options.open) openInBrowser(`${this.#baseUrl}/console`, printLine)
  }

  async stop(): Promise<void> {
    this.#watcher?.stop()
    deleteRun(this.#settings)
    await this.#supervisor.stop()
    this.#simulation?.close()
  }

  async openSimulation(): Promise<void> {
    if (!this.#isSimulated) return
    this.#simulation = await SimulationServer.open({
      simulatorPort: this.#ports.simulator,
      getHostPid: () => this.#supervisor.getPid('session host'),
    })
  }

  async #startNetwork(): Promise<NetworkAccess> {
    const { NETWORK_URL = '', NETWORK_ROOT_KEY = '', NETWORK_MEDIA_CA = '' } = this.#settings
    if (!this.#isSimulated) return { url: NETWORK_URL, rootKey: NETWORK_ROOT_KEY, mediaCa: NETWORK_MEDIA_CA }
    await this.#supervisor.start(planSimulator(this.#settings, this.#ports.simulator))
    return readSimulatedNetwork(this.#ports.simulator)
  }

  async #startEdge(): Promise<void> {
    const [database] = await Promise.all([this.#startDatabase(), this.#buildEdge()])
    this.#databaseUrl = database.url
    await migrateEdge(database)
    const addresses = {
      port: this.#ports.edge,
      metricsPort: this.#ports.edgeMetrics,
      simulation: this.#simulation,
    }
    await this.#supervisor.start(planEdge(this.#settings, this.#secrets, database, addresses))
  }

  async #buildEdge(): Promise<void> {
    if (!arePagesBuilt()) {
      printLine('Building the pages, once…')
      await buildPagesApart()
    }
    if (runsInNode(this.#settings) || isWorkerBuilt()) return
    printLine('Building the worker for Miniflare, once…')
    await buildWorker()
  }

  /** The edge's file, the server that DATABASE_URL names, or a server that is a part of this gateway. */
  async #startDatabase(): Promise<DatabaseAccess> {
    const { DATABASE_URL: url, DATABASE_TOKEN: token = '', DATA_DIR } = this.#settings
    if (url) return { url, token }
    if (runsInNode(this.#settings)) return prepareDatabaseFile(this.#settings)
    refuseDatabaseFile(this.#settings)
    const port = await freePort()
    const key = loadDatabaseKey(DATA_DIR)
    await this.#supervisor.start(planDatabase(DATA_DIR, port, key))
    return { url: `http://127.0.0.1:${port}`, token: createDatabaseToken(key) }
  }

  async #startHost(network: NetworkAccess): Promise<void> {
    const token = await registerHost(this.#baseUrl, this.#settings, this.#secrets)
    const link = { baseUrl: this.#baseUrl, token, network, metricsPort: this.#ports.metrics }
    await this.#supervisor.start(planHost(this.#settings, this.#secrets, link))
  }

  #recordRun(): void {
    writeRun(this.#settings, {
      baseUrl: this.#baseUrl,
      databaseUrl: this.#databaseUrl,
      secrets: this.#secrets,
      ports: this.#ports,
      edgeMetricsUrl: this.#edgeMetricsUrl,
      parts: this.#supervisor.parts,
    })
  }

  #formatWelcome(): string {
    const { DATA_DIR, METRICS_HOST, PORT } = this.#settings
    const { adminTokenSource } = this.#secrets
    const tokenPlace = adminTokenSource.startsWith('/') ? showPath(adminTokenSource) : adminTokenSource
    const seconds = ((performance.now() - this.#options.startedAt) / 1000).toFixed(1)
    const demo = this.#isSimulated ? `; now try: ${nameDemo(DATA_DIR, PORT)}` : ''
    return [
      '',
      '  msgnet gateway',
      '',
      `  API          ${this.#baseUrl}`,
      `  Console      ${this.#baseUrl}/console`,
      `  Docs         ${this.#baseUrl}/docs`,
      ...(this.#isSimulated ? [`  Simulator    http://127.0.0.1:${this.#ports.simulator}/sim`] : []),
      `  Metrics      ${toUrl(METRICS_HOST, this.#ports.metrics)}/metrics`,
      `               ${this.#edgeMetricsUrl}/metrics`,
      `  Admin token  ${tokenPlace}`,
      ...[...describeCompatibility(this.#settings), ...describeLinks(this.#settings)].map(
        (line) => `  ${line}`,
      ),
      `  Logs         ${showPath(join(DATA_DIR, 'logs'))}/`,
      '',
      `  ready in ${seconds} s${demo}`,
      '',
    ].join('\n')
  }
}

const isSimulated = ({ NETWORK, NETWORK_URL }: Settings): boolean => NETWORK === 'simulator' && !NETWORK_URL

/** The package has no sources to watch, and neither of both has Miniflare beside them. */
function refuseOtherEngine({ watch }: Pick<StartOptions, 'watch'>, settings: Settings): void {
  if (runsInNode(settings) || !(watch || isPackaged)) return
  throw new OperatorError(
    `${isPackaged ? 'npx msgnet-gateway' : 'npm run dev'} runs the edge in Node: leave EDGE_ENGINE out.`,
  )
}

async function startGateway(stopReason: Promise<string>): Promise<void> {
  const startedAt = performance.now()
  const options = readStartOptions()
  if (options.help) return printLine(formatHelp(readVersion()))
  if (options.version) return printLine(readVersion())
  const { lock, ...opened } = await openDataFolder(readSettings(addOptions(process.env, options)))
  refuseOtherEngine(options, opened.settings)
  const settings = { ...opened.settings, WEBHOOK_ALLOWLIST: await allowSecondReceiver(opened.settings) }
  refuseNewerFormat(settings.DATA_DIR)
  mkdirSync(join(settings.DATA_DIR, 'logs'), { recursive: true })
  const secrets = await loadSecrets(settings)
  const previousPorts = listPorts(readRun(settings.DATA_DIR))
  const ports = await claimPorts(settings, { simulated: isSimulated(settings), previousPorts })
  // Of a run that was killed: by its addresses and receivers a command would ask this one before it is ready.
  deleteRun(settings)
  const gateway = new LocalGateway({ ...options, startedAt }, settings, secrets, ports)
  await gateway.openSimulation()
  try {
    const started = gateway.start()
    printLine(`${await Promise.race([stopReason, started.then(() => stopReason)])}: stopping.`)
  } finally {
    await gateway.stop()
    lock.release()
  }
}

await runCommand(() => startGateway(waitForStop()))
// A start that was interrupted may still wait for an answer.
process.exit()
