// `npm run samples`: asks every sample of a gateway of its own, and writes down what was answered.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Recorded } from '../../openapi/samples/recorded.ts'
import { startReceiver } from '../receiver.ts'
import { startWorld } from '../world.ts'
import { askSample, sampleAsks } from './sample-asks.ts'
import { inStory } from './samples-in-story.ts'

const file = join(import.meta.dirname, '..', '..', 'openapi', 'samples', 'recorded.json')
const recorded: Recorded = {}
const receiver = await startReceiver()
const world = await startWorld({ WEBHOOK_ALLOWLIST: receiver.place })
try {
  for (const sample of sampleAsks) {
    process.stdout.write(`${sample.title}\n`)
    const asked = await askSample({ world, receiver }, sample)
    const { status, text } = asked.answer
    if (status >= 300) throw new Error(`${sample.title} was answered ${status}: ${text}`)
    const value = inStory(asked)
    recorded[sample.operation.id] = {
      ...recorded[sample.operation.id],
      [sample.name]: { status, ...(value !== undefined && { value }) },
    }
  }
  writeFileSync(file, `${JSON.stringify(recorded, null, 2)}\n`)
  console.log(`${sampleAsks.length} answers are in ${file}`)
} finally {
  await world.close()
  await receiver.close()
}
