// The texts of the page on which a client of `/mcp` is allowed to get a token.

export const authorize = {
  title: 'Allow a program',
  question: (name: string) => `“${name}” asks to use an instance of this gateway.`,
  identity: 'Described by',
  unverified: 'itself only',
  unverifiedHint: 'Anyone can give a program this name. Allow it only if you have just started it yourself.',
  returnsTo: 'Goes back to',
  local:
    'The answer goes to a program on this computer. Allow it only if you have just started that program yourself.',
  instance: 'Instance',
  search: 'Find by name',
  scope: 'It may',
  scopes: { read: 'Read', send: 'Read and send', full: 'Everything' },
  scopeHints: {
    read: 'messages, chats, groups, contacts',
    send: 'also answer, edit, mark',
    full: 'all but tokens and the deletion of the instance',
  },
  chats: 'Only in these chats',
  chatsHint: 'Phone numbers or ids, “groups” or “people”, with commas between them. Empty: all chats.',
  lifetime: 'For',
  lifetimes: { 1: 'a day', 30: '30 days', 90: '90 days', 365: 'a year' },
  endHint: 'It gets a token of its own, which you can delete at any time among the tokens of the instance.',
  allow: 'Allow',
  refuse: 'Refuse',
  goBack: (host: string) => `Back to ${host}`,
  otherToken: 'Use another token',
}
