// The settings that all devices of an account share: stored as the network reports them, and our own changes once it has them.

import { SECOND } from '../../shared/clock.ts'
import type { Connection, KnownName, SettingChange } from '../driver/driver.ts'
import { addNames } from '../store/known-names.ts'
import { applySetting, forgetSettings, isBlockList } from '../store/settings.ts'
import type { SessionDeps } from './deps.ts'
import type { Intake } from './intake.ts'
import type { KeptState } from './kept-state.ts'

const CATCHING_UP_MS = 60 * SECOND

export interface Settings {
  /** Changes that we made ourselves. A store that fails is only logged: they are done. */
  apply(...changes: SettingChange[]): Promise<void>
  /** Changes that the network reported. */
  received(changes: SettingChange[]): void
  /** What the phone calls people. */
  peopleNamed(names: KnownName[]): void
  /** Called after login: requests the settings from before this device was linked, once. */
  opened(network: Connection): void
  /** For an account that is no longer linked: the next account has other settings. */
  forgetAll(): Promise<void>
}

export function makeSettings({ store, log }: SessionDeps, state: KeptState, intake: Intake): Settings {
  const { instance } = state.row
  const statements = (changes: SettingChange[]) =>
    changes.flatMap((change) => applySetting(store, instance, change))

  return {
    apply: (...changes) =>
      store
        .commitFor(instance, statements(changes))
        .catch((thrown) => log.error({ instance, err: thrown }, 'a setting that was changed is not kept')),
    received: (changes) =>
      intake.enqueue(async (batch) => {
        for (const change of changes)
          if (change.kind !== 'block_list' || !(await isBlockList(store, instance, change.people)))
            for (const statement of statements([change])) batch.run(statement)
      }),
    peopleNamed(names) {
      for (const commit of addNames(instance, names))
        intake.enqueue(async (batch) => {
          for (const statement of commit) batch.run(statement)
        })
    },
    opened(network) {
      const deadline = AbortSignal.timeout(CATCHING_UP_MS)
      const caught = network.settings
        .ready(deadline)
        .then((ready) => (ready.kind === 'done' ? network.settings.catchUp(deadline) : ready))
      caught.then(
        (answer) => {
          if (answer.kind !== 'done')
            log.warn({ instance, answer }, 'the settings of the phone are not known')
        },
        (thrown) => log.error({ instance, err: thrown }, 'settings are not caught up with'),
      )
    },
    async forgetAll() {
      await store.commitFor(instance, forgetSettings(store, instance))
      await intake.limits.forget()
    },
  }
}
