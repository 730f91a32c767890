// What the operator sets for the bridge to Chatwoot.

import { readChoice, readNumber, readVariable } from '../bridge-variables.ts'

export const settings = {
  /** The API of the account, without a slash at its end. */
  api: `${readVariable('CHATWOOT').replace(/\/+$/, '')}/api/v1/accounts/${readVariable('ACCOUNT')}`,
  token: readVariable('CHATWOOT_TOKEN'),
  inbox: readNumber('INBOX'),
  callbackSecret: readVariable('CALLBACK_SECRET'),
  groups: readChoice('GROUPS', ['on', 'off']) === 'on',
  /** Whether what agents write begins with their name. */
  signature: readChoice('SIGNATURE', ['off', 'on']) === 'on',
  /** Whether a chat whose conversation is resolved continues in it, or in a new one. */
  conversation: readChoice('CONVERSATION', ['reopen', 'new']),
  /** Whether a message that its sender deletes disappears from Chatwoot too, or gets a note. */
  deletions: readChoice('DELETIONS', ['mirror', 'note']),
  /** Whether a chat is archived on the phone when its conversation is resolved. */
  archive: readChoice('ARCHIVE', ['off', 'on']) === 'on',
  /** Messages of so many days are taken over once; 0 for none. */
  historyDays: readNumber('HISTORY_DAYS', 0),
  /** A request that got no response may still be at work in Chatwoot for this long. */
  uncertainMs: readNumber('UNCERTAIN_SECONDS', 20) * 1000,
}
