// One row of a device that another program has linked: checked, and in the form in which ours are stored.

import { explainId } from '@msgnet/shared/contract/import-ids.ts'
import { type ImportRow, importKinds } from '@msgnet/shared/contract/import-lines.ts'
import { describeFirstIssue, formatFieldPath } from '@msgnet/shared/contract/validation-message.ts'
import * as z from 'zod'
import type { StoredKey } from '../../driver.ts'
import { encodeKey } from './auth-state.ts'
import { UnreadableValue } from './imported-bytes.ts'
import { readSession } from './imported-session.ts'
import { readValue } from './imported-values.ts'
import { findIdentity } from './older-line.ts'

export interface ReadRow extends StoredKey {
  /** Of the device of a session. */
  identity?: string | undefined
}

/** Of any kind but `creds`. A sentence where it is wrong. */
export function readRow({ kind, id, value }: ImportRow): ReadRow | string {
  const known = importKinds.find((one) => one === kind)
  if (!known) return `kind must be creds or one of ${importKinds.join(', ')}.`
  const wrongId = explainId(known, id)
  if (wrongId) return wrongId
  return explainFailure(() => {
    if (known !== 'session') return { kind, id, value: encodeKey(readValue(known, value)) }
    const record = readSession(value)
    const written = new Uint8Array(Buffer.from(JSON.stringify(record)))
    return { kind, id, value: written, identity: findIdentity(record) }
  })
}

/** What `read` returns, or why it cannot. The value itself is never named. */
export function explainFailure<Value>(read: () => Value): Value | string {
  try {
    return read()
  } catch (error) {
    if (error instanceof UnreadableValue)
      return `${formatFieldPath(['value', ...error.path])} ${error.message}.`
    if (!(error instanceof z.ZodError)) throw error
    return describeFirstIssue(error, ['value'])
  }
}
