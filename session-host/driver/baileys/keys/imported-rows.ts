// The rows of a device that another program has linked with the library: each is checked, and brought into the form in which ours are stored.

import type { ImportRow } from '@msgnet/shared/contract/import-lines.ts'
import { issueMessages } from '@msgnet/shared/contract/validation-message.ts'
import { isPnUser, jidDecode } from 'baileys'
import { CREDS } from '../../../store/credential-store.ts'
import type { CredentialImport, ImportedCredential, StoredKey } from '../../driver.ts'
import { toGatewayJid, toNetworkJid } from '../ids.ts'
import { readProfileName } from '../profile-name.ts'
import { encodeKey } from './auth-state.ts'
import { reviveBytes, UnreadableValue } from './imported-bytes.ts'
import { completeCreds, ImportedCreds } from './imported-creds.ts'
import { explainFailure, type ReadRow, readRow } from './imported-row.ts'
import { LargeRows } from './large-rows.ts'
import { moveToNewerLine } from './older-line.ts'

/** `account`: the one that the caller names. */
export class ImportedRows implements CredentialImport {
  readonly #account: string
  readonly #keys = new Map<string, StoredKey>()
  /** Of devices, by the ids of their sessions. */
  readonly #identities = new Map<string, string>()
  #owner: { id: string; lid?: string | undefined; name?: string | undefined } | undefined
  /** With which the device writes settings. */
  #settingsKey: string | undefined
  readonly #largeRows = new LargeRows()

  constructor(account: string) {
    this.#account = account
  }

  addRow(row: ImportRow): string | undefined {
    if (row.kind === CREDS) return this.#addCreds(row.id, row.value)
    if (!this.#owner) return 'The first row must be creds.'
    const read = readRow(row)
    return typeof read === 'string' ? read : this.#addKey(read)
  }

  async addLargeLine(line: Uint8Array): Promise<string | { kind: string }> {
    const read = await this.#largeRows.read(line)
    if ('problem' in read) return read.problem
    return this.#addKey(read) ?? { kind: read.kind }
  }

  close(): void {
    this.#largeRows.close()
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
    return explainFailure((): undefined => {
      const creds = completeCreds(ImportedCreds.parse(reviveBytes(value), issueMessages))
      if (!isSameAccount(this.#account, creds.me?.id ?? ''))
        throw new UnreadableValue('is of another account than the first line names', ['me', 'id'])
      this.#addKey({ kind: CREDS, id: '', value: encodeKey(creds) })
      this.#owner = creds.me
      this.#settingsKey = creds.myAppStateKeyId
    })
  }

  #addKey({ kind, id, value, identity }: ReadRow): string | undefined {
    const name = formatKeyName({ kind, id })
    if (this.#keys.has(name)) return `A row of ${kind} with this id came before.`
    this.#keys.set(name, { kind, id, value })
    if (identity !== undefined) this.#identities.set(id, identity)
    return undefined
  }
}

const formatKeyName = ({ kind, id }: { kind: string; id: string }): string => `${kind} ${id}`

/** The id of an account may have a device, and our suffix. */
function isSameAccount(named: string, own: string): boolean {
  const jid = toNetworkJid(named)
  return isPnUser(jid) === true && jidDecode(jid)?.user === jidDecode(own)?.user
}
