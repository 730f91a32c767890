// What the account's devices have in common, kept as it is told; what this one has changed is kept when the network has it.

import { SECOND } from '../../shared/clock.ts'
import type { Connection, SettingChange } from '../driver/driver.ts'
import { applySetting, forgetSettings, isBlockList } from '../store/settings.ts'
import type { SessionDeps } from './deps.ts'
import type { Intake } from './intake.ts'
import type { KeptState } from './kept-state.ts'

const CATCHING_UP_MS = 60 * SECOND

export interface Settings {
  /** What we have done ourselves: it is done whatever our disk says. */
  apply(...changes: SettingChange[]): Promise<void>
  /** Told by the network. */
  received(changes: SettingChange[]): void
  /** Logged in: what was set before we were there is asked for, once. */
  opened(network: Connection): void
  /** The account is linked no longer: its settings are not those of the next one. */
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
