// The settings that all devices of an account share: stored as the network reports them, and our own changes once it has them.

import { SECOND } from '../../shared/date-time.ts'
import type { Connection, KnownName, SettingChange } from '../driver/driver.ts'
import { buildNameStatements } from '../store/name-store.ts'
import { buildSettingStatements, deleteSettings, isSameBlockList } from '../store/setting-store.ts'
import type { Intake } from './intake.ts'
import type { SessionDeps } from './session-deps.ts'
import type { StoredState } from './stored-state.ts'

const CATCHING_UP_MS = 60 * SECOND

export interface Settings {
  /** Changes that we made ourselves. A store that fails is only logged: they are done. */
  applyChanges(...changes: SettingChange[]): Promise<void>
  /** Changes that the network reported. */
  handleChanges(changes: SettingChange[]): void
  /** What the phone calls people. */
  handleNames(names: KnownName[]): void
  /** Called after login: requests the settings from before this device was linked, once. */
  handleLogin(network: Connection): void
  /** For an account that is no longer linked: the next account has other settings. */
  deleteAll(): Promise<void>
}

export function createSettings({ store, log }: SessionDeps, state: StoredState, intake: Intake): Settings {
  const { instance } = state.row
  const buildStatements = (changes: SettingChange[]) =>
    changes.flatMap((change) => buildSettingStatements(store, instance, change))

  return {
    applyChanges: (...changes) =>
      store
        .commitFor(instance, buildStatements(changes))
        .catch((error) => log.error({ instance, err: error }, 'a setting that was changed is not kept')),
    handleChanges: (changes) =>
      intake.enqueue(async (batch) => {
        for (const change of changes)
          if (change.kind !== 'block_list' || !(await isSameBlockList(store, instance, change.people)))
            for (const statement of buildStatements([change])) batch.addStatement(statement)
      }),
    handleNames(names) {
      for (const commit of buildNameStatements(instance, names))
        intake.enqueue(async (batch) => {
          for (const statement of commit) batch.addStatement(statement)
        })
    },
    handleLogin(network) {
      const deadline = AbortSignal.timeout(CATCHING_UP_MS)
      const caught = network.settings
        .waitUntilReady(deadline)
        .then((ready) => (ready.kind === 'done' ? network.settings.catchUp(deadline) : ready))
      caught.then(
        (answer) => {
          if (answer.kind !== 'done')
            log.warn({ instance, answer }, 'the settings of the phone are not known')
        },
        (error) => log.error({ instance, err: error }, 'settings are not caught up with'),
      )
    },
    async deleteAll() {
      await store.commitFor(instance, deleteSettings(store, instance))
      await intake.limits.deleteAll()
    },
  }
}
