// The process of the simulated network.
import { printHelp } from './control/help.ts'
import { startSimulator } from './simulator.ts'

// Its files are readable for their owner only.
process.umask(0o077)
// Lines for a file on a full disk are dropped, and the network continues.
for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined)

if (process.argv.includes('--help')) {
  console.log(printHelp())
  process.exit(0)
}

const port = Number(process.env.SIMULATOR_PORT ?? '8799')
const mediaPort = Number(process.env.SIMULATOR_MEDIA_PORT ?? '0')
const dataDir = process.env.DATA_DIR ?? '.data'

for (const [name, value] of Object.entries({ SIMULATOR_PORT: port, SIMULATOR_MEDIA_PORT: mediaPort })) {
  if (Number.isInteger(value) && value >= 0 && value <= 65_535) continue
  console.error(`${name} is no port: ${process.env[name]}`)
  process.exit(1)
}

const simulator = await startSimulator({
  port,
  dataDir,
  mediaPort: mediaPort || undefined,
}).catch((error: NodeJS.ErrnoException & { port?: number }) => {
  const taken = error.code === 'EADDRINUSE'
  console.error(taken ? `Port ${error.port} is taken: is another simulator running?` : error.message)
  process.exit(1)
})

// The parent process is told that this one is ready.
process.send?.('ready')
console.log(`simulated network ready: ${simulator.networkUrl}, control ${simulator.url}/sim`)

let stopping = false
async function stopSimulator() {
  if (stopping) return
  stopping = true
  await simulator.close()
  process.exit(0)
}

process.on('SIGTERM', stopSimulator)
process.on('SIGINT', stopSimulator)
// Started by another process, it does not outlive it.
process.on('disconnect', stopSimulator)
