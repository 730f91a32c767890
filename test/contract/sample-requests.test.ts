// Every sample of the documentation is asked of a gateway: it is taken, answered as documented, and as the page shows it.
// @module-tag slow

import { findRecordedResponse } from '@msgnet/openapi/samples/recorded-samples.ts'
import { describe, expect, onTestFailed, onTestFinished, test } from 'vitest'
import type { ApiResponse } from '../caller.ts'
import { borrowStage } from '../scene.ts'
import { until } from '../until.ts'
import { everyAction } from '../world.ts'
import { expectDocumented } from './documented.ts'
import { clearServer, requestSample, SharedDevice, samples } from './sample-requests.ts'
import { describeShape, replaceByStory } from './sample-story.ts'

const { world, receiver } = await borrowStage(everyAction)
const sharedDevice = new SharedDevice(world)
const stage = { world, receiver, sharedDevice }

// Samples share a device: none may need what another one left there.
describe.shuffle('a sample', () => {
  test.each(samples)(
    '$title is accepted and answered as documented',
    async (sample) => {
      onTestFailed(() => sharedDevice.replace())
      if (sample.operation.id === 'configureServerWebhook') onTestFinished(() => clearServer(stage))
      // While the schemas were compiled the gateway hung up on connections that this process still believes in.
      await until(() => world.callAs('').get('/health/live'))
      const result = await requestSample(stage, sample)
      const { response } = result
      expectDocumented({ ...response, method: sample.method, path: sample.path })
      expect(describeResponse(response)).toBe('taken')
      // `npm run samples` records anew what the page and the examples show.
      const recorded = findRecordedResponse(sample.operation.id, sample.name)
      expect(describeShape(response.status, replaceByStory(result))).toEqual(
        describeShape(recorded?.status, recorded?.value),
      )
    },
    30_000,
  )
})

const describeResponse = ({ status, body }: ApiResponse): string =>
  status < 300 ? 'taken' : `refused with ${body?.error}: ${body?.message}`
