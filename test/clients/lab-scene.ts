// A laboratory for the tests of one file, and what the program of a caller sees of it.

import { join } from 'node:path'
import { projectRoot } from '@msgnet/cli/build/root.ts'
import { afterAll } from 'vitest'
import { type LabInstance, startLab } from '../../clients/testing/start-lab.ts'
import { createCaller } from '../caller.ts'
import { recordStart } from '../started-gateways.ts'
import { until } from '../until.ts'

// biome-ignore lint/suspicious/noExplicitAny: an envelope is looked into by name.
export type Envelope = any

export async function startLabScene(file: string) {
  recordStart(file)
  const command = ['sh', join(projectRoot, 'cli', 'node'), join(projectRoot, 'cli', 'lab.ts')]
  const lab = await startLab({ command, cwd: projectRoot })
  afterAll(() => lab.close())
  const listEvents = async (instance: LabInstance) => (await lab.received(instance)).received
  return {
    lab,
    callAs: ({ token }: LabInstance) => createCaller(lab.baseUrl, { token }),
    listEvents,
    listMessages: async (instance: LabInstance): Promise<Envelope[]> =>
      (await listEvents(instance)).flatMap(({ envelope }) => envelope.message ?? []),
    waitForEvent: (instance: LabInstance, fits: (envelope: Envelope) => boolean) =>
      until(async () => (await listEvents(instance)).find(({ envelope }) => fits(envelope))),
  }
}
