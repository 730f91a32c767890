// A hosted device: it has the phone's identity and sessions of its own, and reads messages in chats of two.
import type { Network } from '../network/simulated-network.ts'
import { toHostedAccount } from '../store/account-settings.ts'
import type { Account } from '../store/account-table.ts'
import { decryptFrom } from './phone-ciphers.ts'
import type { Incoming } from './receive-at-phone.ts'

/** What it reads is not shown; the log says that it could. */
export async function receiveAtHosted(network: Network, account: Account, incoming: Incoming) {
  const { id, sender, device, encrypted } = incoming
  const peer = { number: sender.number, device }
  let readable = true
  for (const enc of encrypted) {
    await decryptFrom(network, toHostedAccount(account), peer, enc).catch(() => {
      readable = false
    })
  }
  network.log.addEntry({ number: account.number, device: null }, { what: 'hosted', id, readable })
}
