// The unmodified library in a process of its own, on the same simulated network: what costs are held against.

import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import { makePhone } from '../device.ts'
import type { World } from '../world.ts'
import type { Task, Told } from './library-process.ts'

export interface Library {
  readonly pid: number
  readonly numbers: string[]
  /** Resolves when all of them were handed to the network. */
  send(to: string, count: number, atOnce: number): Promise<void>
  /** Messages that it was handed so far. */
  received(): Promise<number>
  close(): Promise<void>
}

export async function startLibrary(world: World, count: number): Promise<Library> {
  const { url } = await world.sim('GET', '/network')
  const numbers: string[] = []
  // The library writes to the number that it is given.
  for (let n = 0; n < count; n++) numbers.push(await makePhone(world, 'Alone', { lidMigrated: false }))

  const child = fork(join(import.meta.dirname, 'library-process.ts'), { stdio: 'ignore' })
  await told(child, () => true)
  const scanned = new Set<number>()
  child.on('message', ({ qr, n = 0 }: Told) => {
    if (!qr || scanned.has(n)) return
    scanned.add(n)
    void world.sim('POST', `/phones/${numbers[n]}/scan`, { qr })
  })
  const ask = (task: Task, answers: (told: Told) => boolean) => {
    const answer = told(child, answers)
    child.send(task)
    return answer
  }
  await ask({ kind: 'open', url: String(url), count }, ({ open }) => open === true)

  return {
    pid: child.pid ?? 0,
    numbers,
    async send(to, many, atOnce) {
      const task = { kind: 'send', count: many, to: `${to}@s.whatsapp.net`, atOnce } as const
      await ask(task, ({ sent }) => sent === true)
    },
    async received() {
      const { received = 0 } = await ask({ kind: 'received' }, (answer) => answer.received !== undefined)
      return received
    },
    async close() {
      const gone = new Promise((resolve) => child.once('exit', resolve))
      child.kill()
      await gone
    },
  }
}

function told(child: ChildProcess, wanted: (told: Told) => boolean): Promise<Told> {
  return new Promise((resolve) => {
    const listen = (message: Told) => {
      if (!wanted(message)) return
      child.off('message', listen)
      resolve(message)
    }
    child.on('message', listen)
  })
}
