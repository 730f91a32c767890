// The settings that all devices of an account share: stored as the network reports them, and our own changes once it has them.

import { SECOND } from '@msgnet/shared/date-time.ts'
import type { Connection, KnownName, Person, SettingChange } from '../driver/driver.ts'
import { createMutex } from '../process/mutex.ts'
import { buildNameStatements } from '../store/name-store.ts'
import {
  buildSettingStatements,
  deleteSettings,
  isSameBlockList,
  type StoredChange,
} from '../store/setting-store.ts'
import type { Intake } from './intake.ts'
import type { Batch } from './intake-batch.ts'
import { applyStar, type StarChange } from './message-marks.ts'
import type { SessionDeps } from './session-deps.ts'
import type { StoredState } from './stored-state.ts'

const CATCHING_UP_MS = 60 * SECOND
/** Of one commit: every other session of the process waits meanwhile. */
const COMMIT_USERNAMES = 500

export class Settings {
  readonly #deps: Pick<SessionDeps, 'store' | 'log'>
  readonly #state: StoredState
  readonly #intake: Intake
  /** One after the other: a new label gets an id that none has. */
  readonly runLabelChange = createMutex()

  constructor(deps: Pick<SessionDeps, 'store' | 'log'>, state: StoredState, intake: Intake) {
    this.#deps = deps
    this.#state = state
    this.#intake = intake
  }

  get #instance(): string {
    return this.#state.row.instance
  }

  /** Changes that we made ourselves, behind those that the network reported before. A store that fails is only logged: they are done. */
  applyChanges(...changes: StoredChange[]): Promise<void> {
    return this.#storeOwn(async (batch) => {
      for (const statement of this.#buildStatements(changes)) batch.addStatement(statement)
    })
  }

  /** The same for a star, which is stored with its message. */
  applyStar(change: StarChange): Promise<void> {
    return this.#storeOwn((batch) => applyStar(batch, change, this.#state.now))
  }

  async #storeOwn(work: (batch: Batch) => Promise<void>): Promise<void> {
    await this.#intake
      .runInBatch(work)
      .catch((error) =>
        this.#deps.log.error({ instance: this.#instance, error }, 'failed to store changed setting'),
      )
  }

  /** Changes that the network reported. */
  handleChanges(changes: SettingChange[]): void {
    const { store } = this.#deps
    this.#intake.enqueue(async (batch) => {
      for (const change of changes)
        if (change.kind === 'star') await applyStar(batch, change, this.#state.now)
        else if (change.kind === 'timer') await this.#intake.timers.learn(batch, change.chat, change.timer)
        else if (
          change.kind !== 'block_list' ||
          !(await isSameBlockList(store, this.#instance, change.people))
        )
          for (const statement of this.#buildStatements([change])) batch.addStatement(statement)
      const people = changes.filter((change) => change.kind === 'contact').map(({ person }) => person)
      this.#intake.usernames.addTo(batch, people)
    })
  }

  /** The names that the phone has for people, and their usernames. */
  handleNames(known: KnownName[]): void {
    const named = known.filter(({ name }) => name !== '')
    for (const commit of buildNameStatements(this.#instance, named))
      this.#intake.enqueue(async (batch) => {
        for (const statement of commit) batch.addStatement(statement)
      })
    this.handleUsernames(known.map(({ person }) => person))
  }

  /** Of those people whose username the network named. */
  handleUsernames(people: Person[]): void {
    const named = people.filter(({ username }) => username !== undefined)
    for (let at = 0; at < named.length; at += COMMIT_USERNAMES)
      this.#intake.enqueue(async (batch) =>
        this.#intake.usernames.addTo(batch, named.slice(at, at + COMMIT_USERNAMES)),
      )
  }

  /** Called after login: requests the settings from before this device was linked, once. */
  handleLogin(network: Connection): void {
    const { log } = this.#deps
    const instance = this.#instance
    this.#catchUp(network).then(
      (outcome) => {
        if (outcome.kind !== 'done') log.warn({ instance, outcome }, 'failed to read settings of the phone')
      },
      (error) => log.error({ instance, error }, 'failed to read settings of the phone'),
    )
  }

  /** For an account that is no longer linked: the next account has other settings. */
  async deleteAll(): Promise<void> {
    // Behind what was reported of this account: else that would be the next one's.
    await this.#intake.runInBatch(async (batch) => {
      for (const statement of deleteSettings(this.#deps.store, this.#instance)) batch.addStatement(statement)
    })
    await this.#intake.limits.deleteAll()
    this.#intake.usernames.clear()
    this.#intake.timers.clear()
  }

  async #catchUp(network: Connection) {
    const deadline = AbortSignal.timeout(CATCHING_UP_MS)
    const ready = await network.settings.waitUntilReady(deadline)
    return ready.kind === 'done' ? network.settings.catchUp(deadline) : ready
  }

  #buildStatements(changes: StoredChange[]) {
    return changes.flatMap((change) => buildSettingStatements(this.#deps.store, this.#instance, change))
  }
}
