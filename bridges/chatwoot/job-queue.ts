// The queue of the bridge: what came from either side is stored first, then done in the order of its chat, again and again until it is done.

import { database } from '../bridge-store.ts'

const SECOND_MS = 1000
const MAX_PAUSE_MS = 300 * SECOND_MS
const HOUR_MS = 3600 * SECOND_MS
const DAY_MS = 24 * HOUR_MS
/** The gateway delivers an event again for four days. */
const REMEMBERED_MS = 7 * DAY_MS
const GIVEN_UP_MS = 4 * DAY_MS
const MAX_PARALLEL = 8

/** To be tried again after this time, which is no failure. */
export class Later extends Error {
  readonly ms: number

  constructor(ms: number, why: string) {
    super(why)
    this.ms = ms
  }
}

/** Trying again would not help. */
export class Hopeless extends Error {}

export interface Job {
  id: number
  name: string
  chat: string
  kind: string
  body: string
  due: number
  attempts: number
  /** When it was stored, in milliseconds. */
  at: number
}

database.exec(`create table if not exists jobs (
  id integer primary key autoincrement, name text not null unique, chat text not null, kind text not null,
  body text not null, due integer not null, attempts integer not null default 0, at integer not null,
  state text not null default 'waiting')`)
database.exec(`create index if not exists jobs_waiting on jobs (chat, id) where state = 'waiting'`)

const insert = database.prepare(
  'insert or ignore into jobs (name, chat, kind, body, due, at) values (?, ?, ?, ?, ?, ?)',
)
/** The oldest of each chat. */
const listFirst = database.prepare(
  `select min(id) as id, name, chat, kind, body, due, attempts, at from jobs where state = 'waiting' group by chat`,
)
const finish = database.prepare(`update jobs set state = ?, body = '' where id = ?`)
const postpone = database.prepare('update jobs set due = ?, attempts = attempts + 1 where id = ?')
const cancel = database.prepare(
  `update jobs set state = 'cancelled' where name = ? and state = 'waiting' and attempts = 0`,
)
const deleteOld = database.prepare(`delete from jobs where state <> 'waiting' and at < ?`)

type Handler = (body: never, job: Job) => Promise<void>

export class JobQueue {
  readonly #handlers: Record<string, Handler>
  readonly #running = new Map<string, string>()
  #timer: NodeJS.Timeout | undefined

  constructor(handlers: Record<string, Handler>) {
    this.#handlers = handlers
    deleteOld.run(Date.now() - REMEMBERED_MS)
    setInterval(() => deleteOld.run(Date.now() - REMEMBERED_MS), DAY_MS).unref()
    setImmediate(() => this.#startDue())
  }

  /** A job whose name was added before is not added again. Jobs of one chat are done one after another. */
  add(name: string, chat: string, kind: string, body: object): void {
    const now = Date.now()
    insert.run(name, chat, kind, JSON.stringify(body), now, now)
    setImmediate(() => this.#startDue())
  }

  /** Unless it was begun. */
  cancel(name: string): void {
    if (![...this.#running.values()].includes(name)) cancel.run(name)
  }

  #startDue(): void {
    clearTimeout(this.#timer)
    const now = Date.now()
    let next = Number.POSITIVE_INFINITY
    for (const job of listFirst.all() as unknown as Job[]) {
      if (this.#running.has(job.chat)) continue
      if (job.due > now) next = Math.min(next, job.due)
      else if (this.#running.size < MAX_PARALLEL) void this.#run(job)
    }
    if (Number.isFinite(next)) this.#timer = setTimeout(() => this.#startDue(), next - now)
  }

  async #run(job: Job): Promise<void> {
    this.#running.set(job.chat, job.name)
    try {
      const handle = this.#handlers[job.kind]
      if (!handle) throw new Hopeless(`there is no job ${job.kind}`)
      await handle(JSON.parse(job.body) as never, job)
      finish.run('done', job.id)
    } catch (error) {
      this.#handleFailure(job, error)
    }
    this.#running.delete(job.chat)
    this.#startDue()
  }

  #handleFailure(job: Job, error: unknown): void {
    const now = Date.now()
    if (error instanceof Later) return void postpone.run(now + error.ms, job.id)
    const hopeless = error instanceof Hopeless || now - job.at > GIVEN_UP_MS
    console.error(`${job.name} of ${job.chat} failed${hopeless ? ' for good' : ''}:`, error)
    if (hopeless) return void finish.run('dead', job.id)
    postpone.run(now + Math.min(MAX_PAUSE_MS, SECOND_MS * 2 ** job.attempts), job.id)
  }
}
