// `npm start`: runs the whole gateway on one machine until Ctrl-C. With `--watch` it is `npm run dev`.

import { mkdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { buildPages } from './build/pages.ts'
import { prepareDatabaseFile, refuseDatabaseFile } from './data-folder/database-file.ts'
import { refuseNewerFormat } from './data-folder/format.ts'
import { openDataFolder } from './data-folder/open-data-folder.ts'
import { describeRun, forgetRun, listPorts, readRun } from './data-folder/running.ts'
import { moveToHostKeys } from './keys/host-keys.ts'
import { keepSecrets } from './keys/secrets.ts'
import { migrateEdge } from './migrate.ts'
import { type DatabaseAccess, databasePart, databaseToken, keepDatabaseKey } from './parts/database.ts'
import { edgePart, isNode } from './parts/edge.ts'
import { hostPart, registerHost } from './parts/host.ts'
import { openLaboratory } from './parts/laboratory.ts'
import { type NetworkAccess, simulatedNetwork, simulatorPart } from './parts/network.ts'
import { makeCrew } from './processes/crew.ts'
import { openInBrowser } from './processes/open.ts'
import { stopSignal } from './processes/stop-signal.ts'
import { watchSources } from './processes/watch.ts'
import { runCommand } from './settings/command.ts'
import { givenUp } from './settings/compatibility.ts'
import { allowSecondReceiver, claimPorts, freePort, toUrl } from './settings/ports.ts'
import { nameDemo } from './settings/second-gateway.ts'
import { Complaint, readSettings } from './settings/settings.ts'

const say = (line: string) => console.log(line)
// Its lines are for people: if they go to a file on a full disk, the gateway goes on.
process.stdout.on('error', () => undefined)
const flag = { type: 'boolean', default: false } as const

async function start(stopped: Promise<string>): Promise<void> {
  const began = performance.now()
  const { watch: watching, open: opening } = parseArgs({ options: { watch: flag, open: flag } }).values
  const { lock, ...opened } = await openDataFolder(readSettings(process.env))
  if (watching && !isNode(opened.settings))
    throw new Complaint('npm run dev runs the edge in Node: leave EDGE_ENGINE out.')
  const settings = { ...opened.settings, WEBHOOK_ALLOWLIST: await allowSecondReceiver(opened.settings) }
  refuseNewerFormat(settings.DATA_DIR)
  mkdirSync(join(settings.DATA_DIR, 'logs'), { recursive: true })
  const secrets = await keepSecrets(settings)
  const simulated = settings.NETWORK === 'simulator' && !settings.NETWORK_URL
  const formerPorts = listPorts(readRun(settings.DATA_DIR))
  const ports = await claimPorts(settings, { simulated, formerPorts })
  const edgeMetricsUrl = toUrl(settings.EDGE_METRICS_HOST, ports.edgeMetrics)
  const baseUrl = `http://${settings.HOST}:${ports.edge}`
  let databaseUrl = ''
  const describe = () =>
    describeRun(settings, { baseUrl, databaseUrl, secrets, ports, edgeMetricsUrl, parts: crew.parts })
  const crew = makeCrew(say, describe, { keepMb: settings.LOG_KEEP_MB })

  const laboratory = simulated
    ? await openLaboratory({
        simulatorPort: ports.simulator,
        hostPid: () => crew.pid('session host'),
      })
    : undefined

  async function openDatabase(): Promise<DatabaseAccess> {
    if (settings.DATABASE_URL) return { url: settings.DATABASE_URL, token: settings.DATABASE_TOKEN ?? '' }
    if (isNode(settings)) return prepareDatabaseFile(settings, say)
    refuseDatabaseFile(settings)
    const port = await freePort()
    const key = keepDatabaseKey(settings.DATA_DIR)
    await crew.start(databasePart(settings.DATA_DIR, port, key))
    return { url: `http://127.0.0.1:${port}`, token: databaseToken(key) }
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
    await crew.start(simulatorPart(settings, ports.simulator))
    return simulatedNetwork(ports.simulator)
  }

  async function openEdge(): Promise<void> {
    const [database] = await Promise.all([openDatabase(), buildPages()])
    databaseUrl = database.url
    await migrateEdge(database)
    const places = { port: ports.edge, metricsPort: ports.edgeMetrics, laboratory }
    await crew.start(edgePart(settings, secrets, database, places))
  }

  let watcher: { stop(): void } | undefined
  async function open(): Promise<void> {
    const moved = moveToHostKeys(settings, secrets)
    const [network] = await Promise.all([openNetwork(), openEdge(), moved])
    const token = await registerHost(baseUrl, settings, secrets)
    await crew.start(hostPart(settings, secrets, { baseUrl, token, network, metricsPort: ports.metrics }))
    describe()
    if (watching) watcher = watchSources(crew.parts, say)
    say(welcome())
    if (opening) openInBrowser(`${baseUrl}/console`, say)
  }

  function welcome(): string {
    const adminToken = secrets.adminTokenKeptIn
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
      ...givenUp(settings).map((line) => `  ${line}`),
      `  Logs         ${relative(process.cwd(), join(settings.DATA_DIR, 'logs'))}/`,
      '',
      `  ready in ${((performance.now() - began) / 1000).toFixed(1)} s${simulated ? `; now try: ${nameDemo(settings.DATA_DIR, settings.PORT)}` : ''}`,
      '',
    ].join('\n')
  }

  try {
    const opened = open()
    say(`${await Promise.race([stopped, opened.then(() => stopped)])}: stopping.`)
  } finally {
    watcher?.stop()
    forgetRun(settings)
    await crew.stop()
    laboratory?.close()
    lock.release()
  }
}

await runCommand(() => start(stopSignal()))
// A start that was interrupted may still wait for an answer.
process.exit()
