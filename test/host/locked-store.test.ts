// A store that another connection locks for a moment, again and again.

import { Guard } from '@msgnet/session-host/store/store-guard.ts'
import { expect, test } from 'vitest'
import { MovableClock } from '../movable-clock.ts'

test.each([10, 20, 25, 50])(
  'a lock that is held for 5 of every %i ms delays a commit by less than one round',
  async (round) => {
    const clock = new MovableClock()
    clock.holdTime()
    const began = clock.now()
    const commitWhenFree = () => {
      if ((clock.now() - began) % round < 5) throw Object.assign(new Error('locked'), { code: 'SQLITE_BUSY' })
      return 'kept'
    }
    let stored: string | undefined
    void new Guard(clock).runWrite(commitWhenFree).then((value) => {
      stored = value
    })

    await clock.moveTime(round)

    expect(stored).toBe('kept')
  },
)
