// The texts of the page “Tokens”.

export const tokens = {
  description:
    'A token for each person and each program, with only the rights it needs. The token of the environment is not listed: it is changed there.',
  notAllowed: 'Your token may not manage tokens',
  notAllowedHint:
    'Only a token with the rights to administer lists, creates and ends them. What yours may do was decided when it was created.',
  none: 'There is no admin token beside that of the environment.',
  noneHint: 'Create one for each person and program, so that each can be ended on its own.',
  scoped: 'Scoped tokens',
  scopedHint: 'For an agent, a program or a person: each with its own rights, chats and end.',
  name: 'Name',
  nameHint: 'Who or what uses it, for example “Dashboard”.',
  scope: 'Rights',
  scopes: { read: 'Read', operate: 'Operate', admin: 'Administer' },
  scopeHints: {
    read: 'sees instances, hosts and the audit log; no message texts',
    operate: 'also manages instances, acts for them, and changes webhooks',
    admin: 'everything, including session hosts and tokens',
  },
  created: 'Created',
  renewed: 'Renewed',
  expires: 'Expires',
  never: 'never',
  expired: 'Expired',
  actions: 'Actions',
  create: 'Create token',
  lifetime: 'Valid for',
  lifetimes: { 30: '30 days', 90: '90 days', 365: 'a year', never: 'no end' },
  createdTitle: (name: string) => `The token “${name}”`,
  newValue: (name: string) => `The new value of “${name}”`,
  once: 'Copy it now. It is shown only once: the server stores only a hash of it.',
  renew: 'Renew',
  renewNamed: (name: string) => `Renew ${name}`,
  renewQuestion: (name: string) => `Renew “${name}”?`,
  renewHint:
    'It gets a new value with the same rights and the same expiry. If an older value is still valid from a renewal before, that one ends now. If you are signed in with this token, sign in with the new value afterwards.',
  oldValueEnds: 'The old value stops',
  delete: 'Delete',
  deleteNamed: (name: string) => `Delete ${name}`,
  deleteQuestion: (name: string) => `Delete “${name}”?`,
  deleteHint:
    'Every program and person with this token is refused at once, and this console too if you are signed in with it. It cannot be undone.',
}
