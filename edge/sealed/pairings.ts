// Seals and opens the QR code or pairing code in the instance's row, because the text of a QR code contains the device's own secret.

import type { Pairing } from '@msgnet/shared/contract/instance-requests.ts'
import { instances } from '@msgnet/shared/db/edge-tables.ts'
import { SealError } from '@msgnet/shared/seal.ts'
import { eq } from 'drizzle-orm'
import { encodeUtf8 } from '../runtime/bytes.ts'
import type { Env } from '../settings/env.ts'
import type { Store } from '../store/database/open-store.ts'
import type { InstanceRow, OpenInstance } from '../store/instance-queries.ts'
import type { ReportedState, SealedState } from '../store/state-queries.ts'
import { findSealer } from './sealers.ts'

const formatSealContext = (instanceId: string) => `pairing:${instanceId}`

export async function sealState(env: Env, { instance, epoch, state }: ReportedState): Promise<SealedState> {
  const { pairing, ...rest } = state
  if (!pairing) return { instance, epoch, state: { ...rest, pairing: null, pairingUntil: 0 } }
  const sealer = await findSealer(env, 'edge/pairing')
  const sealed = await sealer.seal(encodeUtf8(JSON.stringify(pairing)), formatSealContext(instance))
  const pairingUntil = Date.parse(pairing.expiresAt) || 0
  return { instance, epoch, state: { ...rest, pairing: sealed, pairingUntil } }
}

/** A code that no key opens is not shown; the next code is sealed with a present key. */
export async function openPairing(env: Env, row: InstanceRow): Promise<OpenInstance> {
  return { ...row, pairing: row.pairing && (await unsealPairing(env, row.id, row.pairing)) }
}

/** Undefined unless a code is shown now. */
export async function readPairing(
  env: Env,
  { db }: Pick<Store, 'db'>,
  instanceId: string,
): Promise<Pairing | undefined> {
  const [row] = await db
    .select({ pairing: instances.pairing, until: instances.pairingUntil })
    .from(instances)
    .where(eq(instances.id, instanceId))
  if (!row?.pairing || row.until <= Date.now()) return undefined
  return (await unsealPairing(env, instanceId, row.pairing)) ?? undefined
}

async function unsealPairing(env: Env, instanceId: string, sealed: Uint8Array): Promise<Pairing | null> {
  try {
    const sealer = await findSealer(env, 'edge/pairing')
    const opened = await sealer.open(new Uint8Array(sealed), formatSealContext(instanceId))
    return JSON.parse(new TextDecoder().decode(opened))
  } catch (error) {
    if (error instanceof SealError) return null
    throw error
  }
}
