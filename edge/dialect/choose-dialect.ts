// Chooses the dialect by `COMPATIBILITY`, once at the start. Only the runtimes call it.

import type { Env } from '../env.ts'
import { ContractDialect } from './contract-dialect.ts'
import type { Dialect } from './dialect.ts'
import { FamilyDialect, TolerantDialect } from './family-dialect.ts'

export function chooseDialect(env: Omit<Env, 'dialect'>): Dialect {
  switch (env.COMPATIBILITY) {
    case 'uazapi':
      return new FamilyDialect(env)
    case 'tolerant':
      return new TolerantDialect(env)
    default:
      return new ContractDialect()
  }
}
