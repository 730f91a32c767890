// Remembers whether the account's chats with one person were moved to LIDs: the network then refuses numbers as destination.

import { type BinaryNode, getBinaryNodeChildren, proto, type WAMessage, type WASocket } from 'baileys'
import type { Log } from '../../../host-log.ts'
import type { Auth } from '../keys/auth-state.ts'
import { findNode } from './network-query.ts'

/** `lid_one_on_one_migration_enabled`, of the properties that the network sends at each login. */
const PROPERTY = '9435'
const ON = ['1', 'true']

/** Kept in the part of the library's `creds` that belongs to its user. */
interface AdditionalData {
  lidMigrated?: boolean
}

export interface LidMigration {
  readonly isDone: boolean
  /** Looks for the phone's message that it has migrated. */
  checkMessages(messages: WAMessage[]): void
}

/** There is no way back: whatever does not say that the account is migrated says nothing. */
export function watchLidMigration(
  sock: WASocket,
  { state: { creds }, save, reportFault }: Auth,
  log: Log,
): LidMigration {
  const isDone = () => (creds.additionalData as AdditionalData | undefined)?.lidMigrated === true
  // The network sends only what has changed since the list with this hash, and an earlier version did not look for the property.
  if (!isDone()) creds.lastPropHash = undefined

  function recordMigration(source: string): void {
    if (isDone()) return
    creds.additionalData = { lidMigrated: true } satisfies AdditionalData
    save().catch(reportFault)
    log.info({ source }, 'the account is migrated to LIDs: people are written to by LID')
  }

  sock.ws.on('CB:iq,,pair-success', (node: BinaryNode) => {
    const content = findNode(node, 'pair-success', 'client-props')?.content
    if (content instanceof Uint8Array && reportsMigration(content)) recordMigration('client-props')
  })
  sock.ws.on('CB:iq,,props', (node: BinaryNode) => {
    const found = getBinaryNodeChildren(findNode(node, 'props'), 'prop').find(
      ({ attrs }) => attrs.config_code === PROPERTY,
    )
    if (ON.includes(found?.attrs.config_value ?? '')) recordMigration('property')
  })

  return {
    get isDone() {
      return isDone()
    },
    checkMessages(messages) {
      const own = messages.filter(({ key }) => key.fromMe)
      if (own.some(({ message }) => message?.protocolMessage?.lidMigrationMappingSyncMessage))
        recordMigration('phone')
    },
  }
}

/** Bytes that are no such message say nothing. */
function reportsMigration(clientProps: Uint8Array): boolean {
  try {
    return proto.ClientPairingProps.decode(clientProps).isChatDbLidMigrated === true
  } catch {
    return false
  }
}
