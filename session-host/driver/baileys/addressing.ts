// Decides how a person is addressed on the network: by LID or by number.

import type { WASocket } from 'baileys'
import { isGroup, isLid, STATUS } from '../../../shared/jid.ts'
import type { DmAddressing } from '../addressing.ts'
import type { LidMigration } from './connection/lid-migration.ts'
import { outward } from './ids.ts'
import { knownAs } from './people.ts'

/** A person's id in the network's form, and the number, if that is known. */
export interface Address {
  to: string
  pn?: string
}

/** The attributes of a message to this address: beside a LID the network is told the number. */
export const besideLid = ({ to, pn }: Address): Record<string, string> =>
  pn !== undefined && isLid(to) ? { peer_recipient_pn: pn } : {}

export interface Addressing {
  /** Asks the network for a LID that is needed and not known. A group's id is its address. */
  find(id: string): Promise<Address>
}

export function makeAddressing(
  sock: WASocket,
  migration: Pick<LidMigration, 'isDone'>,
  setting: DmAddressing,
): Addressing {
  const isByLid = () => (setting === 'auto' ? migration.isDone : setting === 'lid')

  return {
    async find(id) {
      if (isGroup(id) || id === STATUS) return { to: outward(id) }
      const { pn, lid } = await knownAs(sock, id)
      if (!pn) return { to: outward(id) }
      const number = outward(pn)
      const found = isByLid() && (lid || (await sock.signalRepository.lidMapping.getLIDForPN(number)))
      return { to: found || number, pn: number }
    },
  }
}
