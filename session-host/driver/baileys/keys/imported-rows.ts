// The rows of a device that another program has linked with the library: each is checked, and brought into the form in which ours are stored.

import { type ImportRow, importKinds } from '@msgnet/shared/contract/import-lines.ts'
import {
  describeFirstIssue,
  formatFieldPath,
  issueMessages,
} from '@msgnet/shared/contract/validation-message.ts'
import { isPnUser, jidDecode } from 'baileys'
import * as z from 'zod'
import { CREDS } from '../../../store/credential-store.ts'
import type { CredentialImport, ImportedCredential, StoredKey } from '../../driver.ts'
import { toGatewayJid, toNetworkJid } from '../ids.ts'
import { readProfileName } from '../profile-name.ts'
import { encodeKey } from './auth-state.ts'
import { reviveBytes, UnreadableValue } from './imported-bytes.ts'
import { completeCreds, ImportedCreds } from './imported-creds.ts'
import { explainId } from './imported-ids.ts'
import { readSession } from './imported-session.ts'
import { readValue } from './imported-values.ts'
import { findIdentity, moveToNewerLine, type SessionRecord } from './older-line.ts'

/** `account`: the one that the caller names. */
export class ImportedRows implements CredentialImport {
  readonly #account: string
  readonly #keys = new Map<string, StoredKey>()
  /** Of devices, by the ids of their sessions. */
  readonly #identities = new Map<string, string>()
  #owner: { id: string; lid?: string | undefined; name?: string | undefined } | undefined
  /** With which the device writes settings. */
  #settingsKey: string | undefined

  constructor(account: string) {
    this.#account = account
  }

  addRow({ kind, id, value }: ImportRow): string | undefined {
    if (kind === CREDS) return this.#addCreds(id, value)
    if (!this.#owner) return 'The first row must be creds.'
    const known = importKinds.find((one) => one === kind)
    if (!known) return `kind must be creds or one of ${importKinds.join(', ')}.`
    const wrongId = explainId(known, id)
    if (wrongId) return wrongId
    if (this.#keys.has(formatKeyName({ kind, id }))) return `A row of ${kind} with this id came before.`
    return explainFailure(() => {
      if (known === 'session') this.#addSession(id, readSession(value))
      else this.#addKey(kind, id, encodeKey(readValue(known, value)))
    })
  }

  findGap(): string | undefined {
    const isThere =
      !this.#settingsKey ||
      this.#keys.has(formatKeyName({ kind: 'app-state-sync-key', id: this.#settingsKey }))
    return isThere ? undefined : 'value.myAppStateKeyId is the id of no row of app-state-sync-key.'
  }

  async finish(): Promise<ImportedCredential> {
    const me = this.#owner
    if (!me) throw new Error('an import is finished once creds have been added')
    const account = {
      jid: toGatewayJid(me.id),
      lid: toGatewayJid(me.lid),
      profileName: readProfileName(me),
    }
    return { account, keys: await moveToNewerLine([...this.#keys.values()], me, this.#identities) }
  }

  #addCreds(id: string, value: unknown): string | undefined {
    if (this.#owner) return 'There is a row of creds already.'
    if (id !== '') return 'The id of creds must be empty.'
    return explainFailure(() => {
      const creds = completeCreds(ImportedCreds.parse(reviveBytes(value), issueMessages))
      if (!isSameAccount(this.#account, creds.me?.id ?? ''))
        throw new UnreadableValue('is of another account than the first line names', ['me', 'id'])
      this.#addKey(CREDS, '', encodeKey(creds))
      this.#owner = creds.me
      this.#settingsKey = creds.myAppStateKeyId
    })
  }

  #addSession(id: string, record: SessionRecord): void {
    const identity = findIdentity(record)
    if (identity !== undefined) this.#identities.set(id, identity)
    this.#addKey('session', id, new Uint8Array(Buffer.from(JSON.stringify(record))))
  }

  #addKey(kind: string, id: string, value: Uint8Array<ArrayBuffer>): void {
    this.#keys.set(formatKeyName({ kind, id }), { kind, id, value })
  }
}

const formatKeyName = ({ kind, id }: { kind: string; id: string }): string => `${kind} ${id}`

/** The id of an account may have a device, and our suffix. */
function isSameAccount(named: string, own: string): boolean {
  const jid = toNetworkJid(named)
  return isPnUser(jid) === true && jidDecode(jid)?.user === jidDecode(own)?.user
}

/** Undefined if it succeeds. The value itself is never named. */
function explainFailure(add: () => void): string | undefined {
  try {
    add()
    return undefined
  } catch (error) {
    if (error instanceof UnreadableValue)
      return `${formatFieldPath(['value', ...error.path])} ${error.message}.`
    if (!(error instanceof z.ZodError)) throw error
    return describeFirstIssue(error, ['value'])
  }
}
