// Decides how a person is addressed on the network: by LID or by number.

import type { WASocket } from 'baileys'
import { isGroup, isLid, STATUS_JID } from '../../../shared/jid.ts'
import type { DmAddressing } from '../dm-addressing.ts'
import { findKnownIds } from './account-lookup.ts'
import type { LidMigration } from './connection/lid-migration-state.ts'
import { toNetworkJid } from './ids.ts'

/** A person's id in the network's form, and the number, if that is known. */
export interface Address {
  to: string
  pn?: string
}

/** The attributes of a message to this address: beside a LID the network is told the number. */
export const buildPeerAttributes = ({ to, pn }: Address): Record<string, string> =>
  pn !== undefined && isLid(to) ? { peer_recipient_pn: pn } : {}

export interface Addressing {
  /** Asks the network for a LID that is needed and not known. A group's id is its address. */
  findAddress(id: string): Promise<Address>
}

export function createAddressing(
  sock: WASocket,
  migration: Pick<LidMigration, 'isDone'>,
  setting: DmAddressing,
): Addressing {
  const usesLid = () => (setting === 'auto' ? migration.isDone : setting === 'lid')

  return {
    async findAddress(id) {
      if (isGroup(id) || id === STATUS_JID) return { to: toNetworkJid(id) }
      const { pn, lid } = await findKnownIds(sock, id)
      if (!pn) return { to: toNetworkJid(id) }
      const number = toNetworkJid(pn)
      const found = usesLid() && (lid || (await sock.signalRepository.lidMapping.getLIDForPN(number)))
      return { to: found || number, pn: number }
    },
  }
}
