// Every sample of the documentation is asked of a gateway: it is taken, answered as documented, and as the page shows it.

import { expect, test } from 'vitest'
import { recordedAnswer } from '../../openapi/samples/recorded.ts'
import type { Answer } from '../caller.ts'
import { setStage } from '../scene.ts'
import { until } from '../until.ts'
import { expectDocumented } from './documented.ts'
import { askSample, sampleAsks } from './sample-asks.ts'
import { inStory, shapeOf } from './samples-in-story.ts'

const { world, receiver } = await setStage()

test.each(sampleAsks)(
  '$title is asked, taken, and answered as documented',
  async (sample) => {
    // While the schemas were compiled the gateway hung up on connections that this process still believes in.
    await until(() => world.as('').get('/health/live'))
    const asked = await askSample({ world, receiver }, sample)
    const { answer } = asked
    expectDocumented({ ...answer, method: sample.method, path: sample.path })
    expect(meaningOf(answer)).toBe('taken')
    // `npm run samples` records anew what the page and the examples show.
    const recorded = recordedAnswer(sample.operation.id, sample.name)
    expect(shapeOf(answer.status, inStory(asked))).toEqual(shapeOf(recorded?.status, recorded?.value))
  },
  30_000,
)

const meaningOf = ({ status, body }: Answer): string =>
  status < 300 ? 'taken' : `refused with ${body?.error}: ${body?.message}`
