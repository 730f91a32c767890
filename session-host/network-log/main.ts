// The process that replays a protocol log to the driver: its arguments say where, and each event is a line of JSON.

import { captureConsole, silentLog } from '../log.ts'
import { replayToDriver } from './replay.ts'

const [url = '', rootKey = '', connections = '0', device = ''] = process.argv.slice(2)
captureConsole(silentLog())
await replayToDriver({
  url,
  rootKey: Buffer.from(rootKey, 'hex'),
  connections: Number(connections),
  linked: device === 'linked',
  hear: (event) => void process.stdout.write(`${JSON.stringify(event, withoutBytes)}\n`),
})
process.exit(0)

function withoutBytes(_: string, value: unknown): unknown {
  return value instanceof Uint8Array ? `(bytes ${value.length})` : value
}
