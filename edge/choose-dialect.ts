// Chooses the dialect by `COMPATIBILITY`, once at the start. Only the runtimes call it.

import { ContractDialect } from './dialect/contract-dialect.ts'
import type { Dialect } from './dialect/dialect.ts'
import type { Env } from './settings/env.ts'
import { TolerantDialect, UazapiDialect } from './uazapi/uazapi-dialect.ts'

export function chooseDialect(env: Omit<Env, 'dialect'>): Dialect {
  switch (env.COMPATIBILITY) {
    case 'uazapi':
      return new UazapiDialect(env)
    case 'tolerant':
      return new TolerantDialect(env)
    default:
      return new ContractDialect()
  }
}
