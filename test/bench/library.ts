// The unmodified library in a process of its own, on the same simulated network: what costs are held against.

import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import { createPhone } from '../device.ts'
import type { World } from '../world.ts'
import type { ProcessReport, Task } from './library-process.ts'

export interface Library {
  readonly pid: number
  readonly numbers: string[]
  /** Resolves when all of them were sent to the network. */
  sendMessages(to: string, count: number, atOnce: number): Promise<void>
  /** Messages that it received so far. */
  countReceived(): Promise<number>
  close(): Promise<void>
}

export async function startLibrary(world: World, count: number): Promise<Library> {
  const { url } = await world.sim('GET', '/network')
  const numbers: string[] = []
  // The library writes to the number that it is given.
  for (let n = 0; n < count; n++) numbers.push(await createPhone(world, 'Alone', { lidMigrated: false }))

  const child = fork(join(import.meta.dirname, 'library-process.ts'), { stdio: 'ignore' })
  await waitForReport(child, () => true)
  const scanned = new Set<number>()
  child.on('message', ({ qr, n = 0 }: ProcessReport) => {
    if (!qr || scanned.has(n)) return
    scanned.add(n)
    void world.sim('POST', `/phones/${numbers[n]}/scan`, { qr })
  })
  const sendTask = (task: Task, isExpected: (report: ProcessReport) => boolean) => {
    const report = waitForReport(child, isExpected)
    child.send(task)
    return report
  }
  await sendTask({ kind: 'open', url: String(url), count }, ({ open }) => open === true)

  return {
    pid: child.pid ?? 0,
    numbers,
    async sendMessages(to, many, atOnce) {
      const task = { kind: 'send', count: many, to: `${to}@s.whatsapp.net`, atOnce } as const
      await sendTask(task, ({ sent }) => sent === true)
    },
    async countReceived() {
      const { received = 0 } = await sendTask({ kind: 'received' }, (report) => report.received !== undefined)
      return received
    },
    async close() {
      const gone = new Promise((resolve) => child.once('exit', resolve))
      child.kill()
      await gone
    },
  }
}

function waitForReport(
  child: ChildProcess,
  matches: (report: ProcessReport) => boolean,
): Promise<ProcessReport> {
  return new Promise((resolve) => {
    const handleMessage = (message: ProcessReport) => {
      if (!matches(message)) return
      child.off('message', handleMessage)
      resolve(message)
    }
    child.on('message', handleMessage)
  })
}
