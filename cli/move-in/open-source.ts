// Opens the source that `--from` names.

import { OperatorError } from '@msgnet/shared/node/operator-errors.ts'
import { openFolder } from './folder-source.ts'
import type { MovingSource } from './moving-source.ts'

/** A source that needs a client of a database loads it only when it is asked for. */
export async function openSource(from: string | undefined, keys: string | undefined): Promise<MovingSource> {
  const [, kind = '', place = ''] = /^([a-z]+):(.+)$/s.exec(from ?? '') ?? []
  if (keys !== undefined && kind !== 'evolution')
    throw new OperatorError('--keys is for a source of Evolution API: the others have their keys with them.')
  if (kind === 'folder') return openFolder(place)
  if (kind === 'evolution') return (await import('./evolution-source.ts')).openEvolution(place, keys)
  if (kind === 'fazer') return (await import('./fazer-source.ts')).openFazer(place)
  throw new OperatorError('--from must be folder:PATH, evolution:postgres://… or fazer:redis://….')
}
