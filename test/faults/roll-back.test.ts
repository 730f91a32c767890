// A restore that fails undoes each part that it had begun.

import { rollBackAll } from '@msgnet/cli/backups/pending-restore.ts'
import { expect, test } from 'vitest'

test('a part that cannot be undone is named, and the others are undone all the same', async () => {
  const undone: string[] = []
  const lines: string[] = []
  const undo = (side: string, fault?: string) => ({
    async rollBack() {
      if (fault) throw new Error(fault)
      undone.push(side)
    },
  })
  await rollBackAll([undo('host', 'ECONNREFUSED'), undo('edge')], (line) => lines.push(line))
  expect(undone).toEqual(['edge'])
  expect(lines).toEqual(['Some of what was restored is left: it cannot be removed (ECONNREFUSED).'])
})
