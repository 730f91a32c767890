// Every control route in one table, which `--help` prints; a test holds it against the routes themselves.

type Row = [method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body: string, effect: string]

export const routeTable: readonly Row[] = [
  [
    'POST',
    '/sim/phones',
    'number, name?, username?, lidMigrated?, passkey?, history?, hosted?, …',
    'an account with its phone',
  ],
  ['GET', '/sim/phones/:number', '', 'its ids and its companions'],
  [
    'PATCH',
    '/sim/phones/:number',
    'lidMigrated',
    'migrates the account to LIDs, and notifies its companions',
  ],
  ['POST', '/sim/phones/:number/scan', 'qr', 'links a companion by QR code'],
  ['POST', '/sim/phones/:number/code', 'code', 'links a companion by pairing code'],
  [
    'POST',
    '/sim/phones/:number/reinstall',
    'retries?',
    'a new phone: new identity, sessions and group keys gone',
  ],
  ['GET', '/sim/phones/:number/passkey', '', 'its passkeys, and a device that waits for one'],
  ['POST', '/sim/phones/:number/passkey/credentials', 'rawId, response', 'registers a new credential'],
  ['POST', '/sim/phones/:number/passkey/confirm', 'confirm?', 'the owner compared the code: yes or no'],
  ['POST', '/sim/phones/:number/unlink', 'device?', 'logs companions out'],
  ['POST', '/sim/phones/:number/frames', 'raw', 'sends bytes in place of an encoded stanza'],
  [
    'POST',
    '/sim/phones/:number/past',
    'chats, messages, groups?, days?, textBytes?, with?',
    'gives the phone a long past, which companions are sent when they are linked',
  ],
  [
    'POST',
    '/sim/phones/:number/history',
    'type, chats?, pairs?, …',
    'sends a chunk of history to companions',
  ],
  ['POST', '/sim/phones/:number/dirty', 'type', 'makes companions fetch groups or account_sync again'],
  ['GET', '/sim/phones/:number/inbox', '?after', 'the messages that the phone has decrypted'],
  ['GET', '/sim/phones/:number/settings', '', 'the settings that its devices share'],
  ['POST', '/sim/phones/:number/settings', 'action, …', 'changes one of them on the phone'],
  ['GET', '/sim/phones/:number/profile', '', 'name, about, picture, privacy, block list'],
  ['PATCH', '/sim/phones/:number/profile', 'about?, picture?, privacy?, block?, unblock?', 'changes them'],
  ['POST', '/sim/phones/:number/presence', 'state, to?', 'goes online or offline, types, records or stops'],
  ['PATCH', '/sim/phones/:number/limits', 'timeLockUntil?, quietly?, newChatCap?', 'limits the account'],
  ['POST', '/sim/messages', 'from, to, text | raw | a file | poll | menu, …', 'a phone writes'],
  ['POST', '/sim/messages/:id/receipt', 'by, type', 'delivered, read or played'],
  ['POST', '/sim/messages/:id/react', 'by, text, form?', 'a reaction'],
  ['POST', '/sim/messages/:id/edit', 'by, text, form?, forged?', 'an edit'],
  ['POST', '/sim/messages/:id/comment', 'by, text, form?', 'a comment'],
  ['POST', '/sim/messages/:id/answer', 'by, response', 'an answer to an event'],
  ['POST', '/sim/messages/:id/choice', 'by, choice', 'one more choice of a poll'],
  ['POST', '/sim/messages/:id/deliver', '', 'sends a held message to companions'],
  ['POST', '/sim/messages/:id/pin', 'by, days?', 'pins it in its chat; without days unpins it'],
  ['POST', '/sim/messages/:id/revoke', 'by', 'deletes it for everyone'],
  ['DELETE', '/sim/messages/:id/media', 'phone?', 'deletes its file from the media hosts'],
  ['POST', '/sim/messages/:id/vote', 'by, choices', 'a vote in a poll'],
  ['POST', '/sim/messages/:id/tap', 'by, choice, as?', 'a tap on a button or a row'],
  ['POST', '/sim/groups', 'subject, owner, participants, admins?, …', 'a group'],
  ['GET', '/sim/groups/:jid', '', 'the group as it is'],
  ['PATCH', '/sim/groups/:jid', 'by, …', 'a member changes its subject or its rules'],
  [
    'POST',
    '/sim/groups/:jid/participants',
    'by, action, participants',
    'a member adds, removes or promotes others, joins or leaves',
  ],
  [
    'POST',
    '/sim/groups/:jid/addressing',
    'addressing',
    'its members are addressed by number from now on, or by LID',
  ],
  ['POST', '/sim/groups/:jid/history', 'by, to, written, …', 'a member shares its past with others'],
  ['POST', '/sim/calls', 'from, to, video?', 'a phone calls'],
  ['GET', '/sim/calls/:id', '', 'the call as it is'],
  ['POST', '/sim/calls/:id/state', 'state', 'changes the state of the call'],
  ['POST', '/sim/faults', 'kind, number?, count?, …', 'a fault, as below'],
  ['DELETE', '/sim/faults', '', 'ends all faults'],
  ['DELETE', '/sim/faults/:id', '', 'ends one of them'],
  ['POST', '/sim/stanzas', 'number?, stanza', 'sends a stanza to an account, or to all that are not linked'],
  ['GET', '/sim/network', '', 'where clients find this network, and its root key'],
  ['PATCH', '/sim/network', 'oldestVersion?, clockAhead?', 'the terms on which it accepts clients'],
  ['GET', '/sw.js', '', 'the page of the network’s site that names its present version'],
  ['GET', '/sim/log', '?number, ?after', 'what the network received, in order'],
  ['GET', '/sim/receipts', '?number', 'the receipts that companions sent'],
  ['GET', '/sim/unknown', '', 'stanzas that this network does not know'],
  ['POST', '/sim/reset', '', 'an empty network'],
]

export const faultTable: readonly [kind: string, fields: string, effect: string][] = [
  ['silent', 'xmlns?, tag?', 'requests get no response'],
  ['refuse', 'code, xmlns?, tag?', 'requests get this error'],
  ['slow', 'ms, xmlns?, tag?', 'responses come late'],
  ['leave_out', 'whom, xmlns?', 'responses about people (usync) and keys (encrypt) leave this account out'],
  ['empty_devices', '', 'an account that is migrated to LIDs is shown no devices of a number'],
  ['close', 'code?, child?, attrs?', 'ends sockets now: by a stream error with this code and child, or none'],
  ['login', 'code', 'logins fail'],
  ['welcome', '', 'a device that was never paired gets the stanza of a login'],
  ['unreachable', '', 'new connections are refused'],
  ['half_open', '', 'sockets stay open and send nothing any more'],
  ['garble', 'group?', 'messages to the account do not decrypt'],
  ['duplicate', 'group?', 'messages to the account come twice'],
  ['lost_ack', 'group?', 'messages of the account are accepted and not acknowledged'],
  ['lost_notice', 'group?', 'notices about groups and devices do not reach the account'],
  ['ack_error', 'code, group?', 'messages of the account are refused'],
  [
    'media',
    'host?, direction?, code?, silent?, partial?',
    'media hosts respond with this code, not at all, or cut the connection, also in the middle of a download',
  ],
]

export function printHelp(): string {
  const [widest, deepest] = [measureColumn(routeTable, 1), measureColumn(faultTable, 0)]
  const [bodies, fields] = [measureColumn(routeTable, 2), measureColumn(faultTable, 1)]
  return [
    'Usage: npm run simulator [-- --help]',
    '',
    'SIMULATOR_PORT (8799), SIMULATOR_MEDIA_PORT (a free one) and DATA_DIR (.data) are its settings.',
    'JSON in, JSON out, on 127.0.0.1. "?" marks what is optional.',
    '',
    ...routeTable.map(([method, path, body, effect]) =>
      [method.padEnd(6), path.padEnd(widest), body.padEnd(bodies), effect].join('  '),
    ),
    '',
    'Faults: each also takes number? and count?, unless noted otherwise.',
    '',
    ...faultTable.map((row) => [row[0].padEnd(deepest), row[1].padEnd(fields), row[2]].join('  ')),
  ].join('\n')
}

const measureColumn = (rows: readonly (readonly string[])[], column: number): number =>
  Math.max(...rows.map((row) => row[column]?.length ?? 0))
