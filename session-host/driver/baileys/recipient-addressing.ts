// Decides how a person is addressed on the network: by LID or by number.

import { isGroup, isLid, STATUS_JID } from '@msgnet/shared/jid.ts'
import type { WASocket } from 'baileys'
import type { DmAddressing } from '../dm-addressing.ts'
import type { LidMigration } from './connection/lid-migration-state.ts'
import { toNetworkJid } from './ids.ts'
import type { NumberForms } from './number-forms.ts'

/** A person's id in the network's form, and the number, if that is known. */
export interface Address {
  to: string
  pn?: string
}

/** The attributes of a message to this address: with a LID the number is sent too. */
export const buildPeerAttributes = ({ to, pn }: Address): Record<string, string> =>
  pn !== undefined && isLid(to) ? { peer_recipient_pn: pn } : {}

export class RecipientAddressing {
  readonly #sock: WASocket
  readonly #numbers: Pick<NumberForms, 'findKnownIds'>
  readonly #migration: Pick<LidMigration, 'isDone'>
  readonly #setting: DmAddressing

  constructor(
    sock: WASocket,
    numbers: Pick<NumberForms, 'findKnownIds'>,
    migration: Pick<LidMigration, 'isDone'>,
    setting: DmAddressing,
  ) {
    this.#sock = sock
    this.#numbers = numbers
    this.#migration = migration
    this.#setting = setting
  }

  /** Asks the network for a LID that is needed and not known. A group's id is its address. */
  async findAddress(id: string): Promise<Address> {
    if (isGroup(id) || id === STATUS_JID) return { to: toNetworkJid(id) }
    const { pn, lid } = await this.#numbers.findKnownIds(id)
    if (!pn) return { to: toNetworkJid(id) }
    const number = toNetworkJid(pn)
    const { lidMapping } = this.#sock.signalRepository
    const found = this.#usesLid() && (lid || (await lidMapping.getLIDForPN(number)))
    return { to: found || number, pn: number }
  }

  #usesLid(): boolean {
    return this.#setting === 'auto' ? this.#migration.isDone : this.#setting === 'lid'
  }
}
