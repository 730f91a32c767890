// The edge's process of `npm run bench -- --holds`: the edge itself, with a probe that measures each turn of its event loop.

import Database from 'libsql'

/** Milliseconds of processor time of the serving thread, which other programs of the machine do not lengthen; `wall` by the clock. */
export interface Holds {
  cpu: number
  wall: number
  /** The longest call of the database in this thread. */
  call: number
  sql: string
}

const none = (): Holds => ({ cpu: 0, wall: 0, call: 0, sql: '' })
let worst = none()
let begun = process.cpuUsage()
let isMeasuring = false
/** Milliseconds between two looks at the memory. */
const LOOK_EVERY = 10
let mostMemory = 0
let lookAt = 0

const cpuNow = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

// A turn that follows at once, so the time between two of them is the work of one turn. Only while something is measured.
let before = { cpu: 0, wall: 0 }
function turn(): void {
  if (!isMeasuring) return
  const now = { cpu: cpuNow(), wall: performance.now() }
  if (now.cpu - before.cpu > worst.cpu) {
    worst.cpu = now.cpu - before.cpu
    worst.wall = now.wall - before.wall
  }
  before = now
  if (now.wall > lookAt) {
    mostMemory = Math.max(mostMemory, process.memoryUsage.rss())
    lookAt = now.wall + LOOK_EVERY
  }
  setImmediate(turn)
}

const texts = new WeakMap<object, string>()
const { prepare } = Database.prototype
Database.prototype.prepare = function (this: Database.Database, sql: string) {
  const statement = prepare.call(this, sql)
  texts.set(statement, sql)
  return statement as never
}
const statements = Object.getPrototypeOf(new Database(':memory:').prepare('select 1'))
for (const name of ['all', 'run'] as const) {
  const call = statements[name]
  statements[name] = function (this: object, ...args: unknown[]) {
    const began = cpuNow()
    try {
      return call.apply(this, args)
    } finally {
      const took = cpuNow() - began
      if (took > worst.call) Object.assign(worst, { call: took, sql: texts.get(this) })
    }
  }
}

process.on('message', (asked) => {
  if (asked === 'begin') {
    worst = none()
    begun = process.cpuUsage()
    mostMemory = 0
    isMeasuring = true
    before = { cpu: cpuNow(), wall: performance.now() }
    setImmediate(turn)
    process.send?.({ probe: 'begin' })
  }
  // The turn that sent the answer is measured too.
  if (asked === 'end')
    setTimeout(() => {
      isMeasuring = false
      const { user, system } = process.cpuUsage(begun)
      process.send?.({ probe: 'end', ...worst, cost: (user + system) / 1000, rss: mostMemory / 2 ** 20 })
    }, 5)
})

await import('../../edge/node/main.ts')
process.send?.({ probe: 'ready' })
