// The process that replays a protocol log to the driver: its arguments name the network, and each event is a line of JSON.

import { captureConsole, createSilentLog } from '../process/host-log.ts'
import { replayToDriver } from './replay-to-driver.ts'

const [url = '', rootKey = '', connections = '0', device = ''] = process.argv.slice(2)
captureConsole(createSilentLog())
await replayToDriver({
  url,
  rootKey: Buffer.from(rootKey, 'hex'),
  connections: Number(connections),
  linked: device === 'linked',
  onEvent: (event) => void process.stdout.write(`${JSON.stringify(event, omitBytes)}\n`),
})
process.exit(0)

function omitBytes(_: string, value: unknown): unknown {
  return value instanceof Uint8Array ? `(bytes ${value.length})` : value
}
