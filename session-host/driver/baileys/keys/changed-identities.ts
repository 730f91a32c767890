// People who changed their phone: it has none of the keys of the old one. The next message begins a new session with it, and gives it the key
// of its group again. The library does this only once the phone has requested a message again.

import { type BinaryNode, isJidGroup, jidDecode, type WASocket } from 'baileys'
import type { Log } from '../../../process/host-log.ts'
import type { CredentialStore } from '../../../store/credential-store.ts'
import { findNode } from '../connection/network-query.ts'
import type { ReceivedMessages } from '../messages/store-before-receipt.ts'

interface Deps {
  sock: WASocket
  inbound: ReceivedMessages
  credentials: CredentialStore
  instance: string
  log: Log
}

/** Which devices have the key of a group. */
const KEY_HOLDERS = 'sender-key-memory'

export function watchIdentities({ sock, inbound, credentials, instance, log }: Deps): void {
  const forgetPerson = (jid: string) => forgetKeyHolder(sock, credentials, instance, jid)
  const onError = (error: unknown) => log.warn({ error }, 'failed to forget group keys of changed identity')
  inbound.onIdentityChanged(forgetPerson, onError)
  sock.ws.on('CB:notification,type:encrypt', (node: BinaryNode) => {
    const { from = '' } = node.attrs
    if (!findNode(node, 'identity') || jidDecode(from)?.device) return
    forgetPerson(from)
      .then(() => inbound.closeSession(from))
      .catch(onError)
  })
}

/** In turn with all messages that are sent, so that none of them restores what is forgotten here. */
function forgetKeyHolder(
  { authState, signalRepository }: WASocket,
  credentials: CredentialStore,
  instance: string,
  jid: string,
): Promise<void> {
  const { keys, creds } = authState
  return keys.transaction(async () => {
    const users = await listUsers(signalRepository, jid)
    const groups = [...(await credentials.readAll(instance, KEY_HOLDERS)).keys()].filter((id) =>
      isJidGroup(id),
    )
    const stored = await keys.get(KEY_HOLDERS, groups)
    for (const [group, holders] of Object.entries(stored)) {
      const others = Object.entries(holders).filter(([device]) => !users.includes(formatUser(device)))
      if (others.length < Object.keys(holders).length)
        await keys.set({ [KEY_HOLDERS]: { [group]: Object.fromEntries(others) } })
    }
  }, creds.me?.id ?? '')
}

/** The person by number and by LID. */
async function listUsers({ lidMapping }: WASocket['signalRepository'], jid: string): Promise<string[]> {
  const own = formatUser(jid)
  const other = own.endsWith('@lid') ? await lidMapping.getPNForLID(own) : await lidMapping.getLIDForPN(own)
  return other ? [own, formatUser(other)] : [own]
}

function formatUser(jid: string): string {
  const { user = '', server = '' } = jidDecode(jid) ?? {}
  return `${user}@${server}`
}
