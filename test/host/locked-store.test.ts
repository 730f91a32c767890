// A store that another connection locks for a moment, again and again.

import { expect, test } from 'vitest'
import { makeGuard } from '../../session-host/store/guard.ts'
import { movableClock } from '../movable-clock.ts'

test.each([10, 20, 25, 50])(
  'a lock that is taken for 5 of every %i ms keeps a commit for less than one round',
  async (round) => {
    const clock = movableClock()
    clock.hold()
    const began = clock.now()
    const commit = () => {
      if ((clock.now() - began) % round < 5) throw Object.assign(new Error('locked'), { code: 'SQLITE_BUSY' })
      return 'kept'
    }
    let kept: string | undefined
    void makeGuard(clock)
      .writing(commit)
      .then((value) => {
        kept = value
      })

    await clock.move(round)

    expect(kept).toBe('kept')
  },
)
