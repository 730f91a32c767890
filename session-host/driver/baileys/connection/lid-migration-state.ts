// Stores whether the account's chats with one person were moved to LIDs: the network then refuses numbers as destination.

import { type BinaryNode, getBinaryNodeChildren, proto, type WAMessage, type WASocket } from 'baileys'
import type { Log } from '../../../process/host-log.ts'
import type { Auth } from '../keys/auth-state.ts'
import { findNode } from './network-query.ts'

/** `lid_one_on_one_migration_enabled`, of the properties that the network sends at each login. */
const PROPERTY = '9435'
const ON = ['1', 'true']

/** Stored in the part of the library's `creds` that belongs to its user. */
interface AdditionalData {
  lidMigrated?: boolean
}

/** A migration is final: a source that does not report it is ignored. */
export class LidMigration {
  readonly #auth: Auth
  readonly #log: Log

  constructor(sock: WASocket, auth: Auth, log: Log) {
    this.#auth = auth
    this.#log = log
    // Without the hash the network sends the whole list, and not only what has changed since the device last read it.
    if (!this.isDone) auth.state.creds.lastPropHash = undefined

    sock.ws.on('CB:iq,,pair-success', (node: BinaryNode) => {
      const content = findNode(node, 'pair-success', 'client-props')?.content
      if (content instanceof Uint8Array && reportsMigration(content)) this.#recordMigration('client-props')
    })
    sock.ws.on('CB:iq,,props', (node: BinaryNode) => {
      const property = getBinaryNodeChildren(findNode(node, 'props'), 'prop').find(
        ({ attrs }) => attrs.config_code === PROPERTY,
      )
      if (ON.includes(property?.attrs.config_value ?? '')) this.#recordMigration('property')
    })
  }

  get isDone(): boolean {
    return (this.#auth.state.creds.additionalData as AdditionalData | undefined)?.lidMigrated === true
  }

  /** Looks for the phone's message that it has migrated. */
  checkMessages(messages: WAMessage[]): void {
    const own = messages.filter(({ key }) => key.fromMe)
    if (own.some(({ message }) => message?.protocolMessage?.lidMigrationMappingSyncMessage))
      this.#recordMigration('phone')
  }

  #recordMigration(source: string): void {
    if (this.isDone) return
    this.#auth.state.creds.additionalData = { lidMigrated: true } satisfies AdditionalData
    this.#auth.save().catch((error) => this.#auth.reportFault(error))
    this.#log.info({ source }, 'account migrated to LIDs')
  }
}

/** Bytes that are no such message are ignored. */
function reportsMigration(clientProps: Uint8Array): boolean {
  try {
    return proto.ClientPairingProps.decode(clientProps).isChatDbLidMigrated === true
  } catch {
    return false
  }
}
