// The ids of keys that another program has stored: those that the library's lines 6.7 and 7 give to each kind, and no others.

import type { ImportKind } from './import-lines.ts'

const MAX_KEY_ID = 0xffffff
/** The digits of a number or a LID, and the mark of its domain. */
const USER = String.raw`\d{1,20}(_\d{1,3})?`
const GROUP = String.raw`(\d[\d-]{0,60}@g\.us|(status|\d{1,20})@broadcast)`

/** As base64 of any bytes would be written: another spelling would be another id. */
const isBase64 = (text: string): boolean =>
  text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text) && btoa(atob(text)) === text

interface IdForm {
  isValid(id: string): boolean
  what: string
}

const createForm = (pattern: string, what: string): IdForm => {
  const form = new RegExp(`^${pattern}$`)
  return { isValid: (id) => form.test(id), what }
}

const address = createForm(
  String.raw`${USER}\.\d{1,5}`,
  'the digits of an account, a dot and the number of a device',
)

const forms: Record<ImportKind, IdForm> = {
  session: address,
  'identity-key': address,
  'pre-key': {
    isValid: (id) => /^[1-9]\d{0,7}$/.test(id) && Number(id) <= MAX_KEY_ID,
    what: `a number from 1 to ${MAX_KEY_ID}`,
  },
  'sender-key': createForm(
    String.raw`${GROUP}::${USER}::\d{1,5}`,
    'a group, the digits of a member and the number of a device, with :: between them',
  ),
  'sender-key-memory': createForm(GROUP, 'the id of a group'),
  'app-state-sync-key': { isValid: isBase64, what: 'base64' },
  'app-state-sync-version': createForm(
    '(critical_block|critical_unblock_low|regular_high|regular_low|regular)',
    'the name of a collection of settings',
  ),
  'lid-mapping': createForm(
    String.raw`\d{1,20}(_reverse)?`,
    'the digits of a number, or those of a LID and _reverse',
  ),
  'device-list': createForm(String.raw`\d{1,20}`, 'the digits of an account'),
  tctoken: createForm(
    String.raw`(__index|${USER}(:\d{1,5})?@(s\.whatsapp\.net|c\.us|lid|hosted|hosted\.lid|bot))`,
    'the id of an account, or __index',
  ),
}

/** A sentence that says why not; undefined if it is one. */
export const explainId = (kind: ImportKind, id: string): string | undefined =>
  forms[kind].isValid(id) ? undefined : `id must be ${forms[kind].what}.`
