// Completes the environment by the forms of the API, once at the start: that of the root by `COMPATIBILITY`, those below prefixes by `DIALECTS`. Only the runtimes call it.

import {
  type DialectName,
  describeUnknownDialect,
  dialectNames,
  findUnknownDialect,
  listWords,
} from '@msgnet/shared/contract/webhook-formats.ts'
import { CloudDialect } from './cloud/cloud-dialect.ts'
import { ContractForm } from './dialect/contract-dialect.ts'
import type { Dialect, RequestForm } from './dialect/dialect.ts'
import { Dialects } from './dialect/dialects.ts'
import { createEvolutionDialect } from './evolution/evolution-dialect.ts'
import type { Env } from './settings/env.ts'
import { TolerantForm, UazapiDialect } from './uazapi/uazapi-dialect.ts'

const createByName: Record<DialectName, (env: Env) => Dialect> = {
  uazapi: (env) => new UazapiDialect(env, 'uazapi'),
  evolution: createEvolutionDialect,
  cloud: (env) => new CloudDialect(env),
}

export function completeEnv<Base extends Omit<Env, 'dialect' | 'dialects'>>(base: Base): Base & Env {
  // The forms read it when they serve a request, when it is complete.
  const env = { ...base } as Base & Env
  const chosen = listWords(env.DIALECTS ?? '')
  if (findUnknownDialect(chosen) !== undefined) throw new Error(`DIALECTS ${describeUnknownDialect(chosen)}.`)
  const served = dialectNames.filter((name) => chosen.includes(name)).map((name) => createByName[name](env))
  const root = createRoot(env)
  return Object.assign(env, { dialect: root, dialects: new Dialects(root, served) })
}

function createRoot(env: Env): RequestForm {
  switch (env.COMPATIBILITY) {
    case 'uazapi':
      return new UazapiDialect(env, '')
    case 'tolerant':
      return new TolerantForm(env)
    default:
      return new ContractForm()
  }
}
