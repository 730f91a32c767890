// A credential that no network has issued, for the replay of a log that begins with a login.

import { initAuthCreds } from 'baileys'
import { CREDS, type CredentialStore } from '../../../store/credential-store.ts'
import { encodeKey } from './auth-state.ts'

const me = { id: '9990000000000:1@s.whatsapp.net', lid: '10000000000000:1@lid' }

export async function inventCredential(store: CredentialStore, instance: string): Promise<void> {
  const nothing = new Uint8Array(32)
  const account = {
    details: nothing,
    accountSignatureKey: nothing,
    accountSignature: nothing,
    deviceSignature: nothing,
  }
  const creds = { ...initAuthCreds(), me, account }
  await store.write(instance, [{ kind: CREDS, id: '', value: encodeKey(creds) }])
}
