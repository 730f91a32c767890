// The edge's process of `npm run bench -- --holds`: the edge itself, with a probe that measures each turn of its event loop.

import Database from 'libsql'

/** Milliseconds of processor time of the serving thread, which other programs of the machine do not lengthen; `wall` by the clock. */
export interface TurnCosts {
  cpu: number
  wall: number
  /** The longest call of the database in this thread. */
  call: number
  sql: string
}

const createEmptyHolds = (): TurnCosts => ({ cpu: 0, wall: 0, call: 0, sql: '' })
let worst = createEmptyHolds()
let begun = process.cpuUsage()
let isMeasuring = false
/** Milliseconds between two looks at the memory. */
const LOOK_EVERY = 10
let maxMemory = 0
let lookAt = 0

const readCpu = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

// A turn that follows at once, so the time between two of them is the work of one turn. Only while something is measured.
let before = { cpu: 0, wall: 0 }
function measureTurn(): void {
  if (!isMeasuring) return
  const now = { cpu: readCpu(), wall: performance.now() }
  if (now.cpu - before.cpu > worst.cpu) {
    worst.cpu = now.cpu - before.cpu
    worst.wall = now.wall - before.wall
  }
  before = now
  if (now.wall > lookAt) {
    maxMemory = Math.max(maxMemory, process.memoryUsage.rss())
    lookAt = now.wall + LOOK_EVERY
  }
  setImmediate(measureTurn)
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
    const began = readCpu()
    try {
      return call.apply(this, args)
    } finally {
      const took = readCpu() - began
      if (took > worst.call) Object.assign(worst, { call: took, sql: texts.get(this) })
    }
  }
}

process.on('message', (command) => {
  if (command === 'begin') {
    worst = createEmptyHolds()
    begun = process.cpuUsage()
    maxMemory = 0
    isMeasuring = true
    before = { cpu: readCpu(), wall: performance.now() }
    setImmediate(measureTurn)
    process.send?.({ probe: 'begin' })
  }
  // The turn that sent the answer is measured too.
  if (command === 'end')
    setTimeout(() => {
      isMeasuring = false
      const { user, system } = process.cpuUsage(begun)
      process.send?.({ probe: 'end', ...worst, cost: (user + system) / 1000, rss: maxMemory / 2 ** 20 })
    }, 5)
})

await import('@msgnet/edge/node/edge-process.ts')
process.send?.({ probe: 'ready' })
