// The simulated network as a process of its own.
import { startSimulator } from './simulator.ts'

const port = Number(process.env.SIMULATOR_PORT ?? '8799')
const dataDir = process.env.DATA_DIR ?? '.data'

if (!Number.isInteger(port) || port < 0 || port > 65_535) {
  console.error(`SIMULATOR_PORT is no port: ${process.env.SIMULATOR_PORT}`)
  process.exit(1)
}

const simulator = await startSimulator({ port, dataDir }).catch((error: NodeJS.ErrnoException) => {
  const taken = error.code === 'EADDRINUSE'
  console.error(taken ? `Port ${port} is taken: is another simulator running?` : error.message)
  process.exit(1)
})

console.log(`simulated network ready: ${simulator.networkUrl}, control ${simulator.url}/sim`)

let stopping = false
async function stop() {
  if (stopping) return
  stopping = true
  await simulator.close()
  process.exit(0)
}

process.on('SIGTERM', stop)
process.on('SIGINT', stop)
// Started by another process, it does not outlive it.
process.on('disconnect', stop)
