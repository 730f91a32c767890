// `npm run samples`: asks every sample of a gateway of its own, and writes down what was answered.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RecordedResponses } from '@msgnet/openapi/samples/recorded-samples.ts'
import { startReceiver } from '../receiver.ts'
import { startWorld } from '../world.ts'
import { requestSample, samples } from './sample-requests.ts'
import { replaceByStory } from './sample-story.ts'

const file = join(import.meta.dirname, '..', '..', 'openapi', 'samples', 'recorded.json')
const recorded: RecordedResponses = {}
const receiver = await startReceiver()
const world = await startWorld({ WEBHOOK_ALLOWLIST: receiver.place, INTERACTIVE: 'on' })
try {
  for (const sample of samples) {
    process.stdout.write(`${sample.title}\n`)
    const result = await requestSample({ world, receiver }, sample)
    const { status, text } = result.response
    if (status >= 300) throw new Error(`${sample.title} was answered ${status}: ${text}`)
    const value = replaceByStory(result)
    recorded[sample.operation.id] = {
      ...recorded[sample.operation.id],
      [sample.name]: { status, ...(value !== undefined && { value }) },
    }
  }
  writeFileSync(file, `${JSON.stringify(recorded, null, 2)}\n`)
  console.log(`${samples.length} answers are in ${file}`)
} finally {
  await world.close()
  await receiver.close()
}
