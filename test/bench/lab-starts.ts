// How long a caller's test waits for its laboratory: with a new one, and with a fresh one of a laboratory that keeps a gateway ready.

import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { projectRoot } from '@msgnet/cli/build/root.ts'
import { type LabOptions, startLab } from '../../clients/testing/start-lab.ts'
import { createMaxMeasure, type Measure } from './measure.ts'

const TESTS = 10
const NEW_TESTS = 3
/** Of a test, in which the next gateway is started. */
const WORK_MS = 8000
const MAX_FRESH_S = 2
const MAX_NEW_S = 10

interface Waits {
  gateway: number
  /** Until an account is linked. */
  instance: number
  message: number
}

const program: LabOptions = {
  command: ['sh', join(projectRoot, 'cli', 'node'), join(projectRoot, 'cli', 'lab.ts')],
  cwd: projectRoot,
}

export async function measureLabStarts(note: (text: string) => void): Promise<Measure[]> {
  const runTest = async (options: LabOptions): Promise<Waits> => {
    const startedAt = performance.now()
    const countSeconds = () => (performance.now() - startedAt) / 1000
    const lab = await startLab(options)
    const gateway = countSeconds()
    const shop = await lab.createInstance()
    const instance = countSeconds()
    const id = await (await lab.phone('Ana')).write(shop.number, 'Where is my order?')
    const hasCome = async () =>
      (await lab.received(shop)).received.some(({ envelope }) => envelope.message?.messageid === id)
    while (!(await hasCome())) await wait(10)
    const waits = { gateway, instance, message: countSeconds() }
    note(JSON.stringify(waits))
    await wait(WORK_MS)
    await lab.close()
    return waits
  }
  const repeat = async (options: LabOptions, count: number) => {
    const all: Waits[] = []
    for (let turn = 0; turn < count; turn++) all.push(await runTest(options))
    return all
  }
  const started = await repeat(program, NEW_TESTS)
  const server = await startLab({ ...program, spare: 1 })
  try {
    await wait(WORK_MS)
    const fresh = await repeat({ url: server.url, fresh: true }, TESTS)
    const compare = (kind: string, all: Waits[], name: keyof Waits, max: number) =>
      createMaxMeasure(`${kind}: s until the ${name}, p50`, computeMedian(all.map((each) => each[name])), max)
    return [
      compare('a new laboratory', started, 'gateway', MAX_NEW_S),
      compare('a fresh one', fresh, 'gateway', MAX_FRESH_S),
      compare('a fresh one', fresh, 'instance', MAX_FRESH_S),
      compare('a fresh one', fresh, 'message', MAX_FRESH_S),
    ]
  } finally {
    await server.close()
  }
}

const computeMedian = (values: number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN
