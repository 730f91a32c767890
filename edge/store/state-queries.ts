// Writes the newest state of a session to the columns of its instance.

import { instances } from '@msgnet/shared/db/edge-tables.ts'
import type { Statement } from '@msgnet/shared/db/prepared-queries.ts'
import { selectOwner } from '@msgnet/shared/db/select-owner.ts'
import type { SessionState } from '@msgnet/shared/wire/session-state.ts'
import { and, eq, lt, lte, sql } from 'drizzle-orm'
import type { Store } from './database/open-store.ts'
import type { InstanceRow, OpenInstance } from './instance-queries.ts'

export interface ReportedState {
  instance: string
  epoch: number
  state: SessionState
}

/** As it is stored: the QR code or pairing code is sealed. */
export interface SealedState extends Omit<ReportedState, 'state'> {
  state: Omit<SessionState, 'pairing'> & Pick<InstanceRow, 'pairing' | 'pairingUntil'>
}

/** SQL that reads the row before the change. */
const keepNumber = sql.raw(selectOwner('jid', 'previous_number'))

/** Writes nothing if another host has the instance by now, or if a newer state is stored. */
export function storeState(store: Store, hostId: string, { instance, epoch, state }: SealedState): Statement {
  return store.db
    .update(instances)
    .set({ ...state, ...(state.jid === '' && { previousNumber: keepNumber }), updatedAt: Date.now() })
    .where(
      and(
        eq(instances.id, instance),
        eq(instances.hostId, hostId),
        lte(instances.epoch, epoch),
        lt(instances.rev, state.rev),
      ),
    )
}

/** The row with this state, for a response that needs no second read. */
export const applyState = (row: OpenInstance, state: SessionState): OpenInstance =>
  state.rev < row.rev
    ? row
    : {
        ...row,
        ...state,
        history: state.history ?? row.history,
        coverage: state.coverage ?? row.coverage,
        isLeased: true,
        updatedAt: Date.now(),
      }
