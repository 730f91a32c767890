// Migrates an account's chats to LIDs, and sends its companions the pairs of numbers and LIDs.
import { proto } from '../codec/protobuf.ts'
import type { Network } from '../network/simulated-network.ts'
import type { Account } from '../store/account-table.ts'
import { sendToCompanion } from './peer-messages.ts'

const { LID_MIGRATION_MAPPING_SYNC: type } = proto.Message.ProtocolMessage.Type

export async function migrateToLids(network: Network, account: Account) {
  const { accounts, companions } = network.store
  if (account.lidMigrated) return
  accounts.setLidMigrated(account, true)
  const payload = { pnToLidMappings: listPairs(network, account), chatDbMigrationTimestamp: Date.now() }
  const encodedMappingPayload = proto.LIDMigrationMappingSyncPayload.encode(payload).finish()
  for (const { device } of companions.listByNumber(account.number)) {
    await sendToCompanion(network, account, device, {
      type,
      lidMigrationMappingSyncMessage: { encodedMappingPayload },
    })
  }
}

/** Of the people with whom the account has exchanged messages. */
function listPairs({ store }: Network, { number }: Account): proto.ILIDMigrationMapping[] {
  return store.messages.listCorrespondents(number).flatMap((other) => {
    const found = store.accounts.find(other)
    return found === undefined ? [] : [{ pn: Number(found.number), assignedLid: Number(found.lid) }]
  })
}
