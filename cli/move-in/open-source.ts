// Opens the source that `--from` names.

import { OperatorError } from '@msgnet/shared/node/operator-errors.ts'
import { openFolder } from './folder-source.ts'
import type { MovingSource } from './moving-source.ts'

const FORMS = 'folder:PATH'

export async function openSource(from: string | undefined): Promise<MovingSource> {
  const [, kind = '', place = ''] = /^([a-z]+):(.+)$/s.exec(from ?? '') ?? []
  if (kind === 'folder') return openFolder(place)
  throw new OperatorError(`--from must be one of ${FORMS}.`)
}
