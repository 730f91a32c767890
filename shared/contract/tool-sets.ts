// Which routes are tools for agents, in sets that an operator chooses from: a model reads every tool of its list before each answer.

export const toolSets = {
  /** What a conversation needs: send, read, find, and wait for a message. */
  chat: [
    'sendText',
    'sendMedia',
    'sendLocation',
    'sendContact',
    'sendMenu',
    'forwardMessage',
    'reactToMessage',
    'editMessage',
    'deleteMessage',
    'pinMessage',
    'starMessage',
    'markRead',
    'showPresence',
    'downloadMessage',
    'findMessages',
    'requestHistory',
    'findChats',
    'showChat',
    'readChat',
    'archiveChat',
    'findContacts',
    'checkNumbers',
    'listScheduled',
    'cancelScheduled',
  ],
  groups: [
    'listGroups',
    'showGroup',
    'createGroup',
    'changeParticipants',
    'renameGroup',
    'describeGroup',
    'changeGroupImage',
    'announceGroup',
    'lockGroup',
    'changeGroupSettings',
    // Of a chat with a person too: the set of conversations is full.
    'setChatTimer',
    'sendEvent',
    'listJoinRequests',
    'showInvite',
    'resetInviteCode',
    'joinGroup',
    'leaveGroup',
  ],
  /** The session, the profile, and the address book of one account. */
  account: [
    'connect',
    'getStatus',
    'disconnect',
    'restart',
    'renameInstance',
    'changeDelay',
    'getLimits',
    'getPrivacy',
    'changePrivacy',
    'renameProfile',
    'changeAbout',
    'changeProfileImage',
    'showOwnPresence',
    'sendStatus',
    'resolveIdentities',
    'blockPerson',
    'listBlocked',
    'addContact',
    'removeContact',
    'listLabels',
    'editLabel',
    'labelChat',
    'listCalls',
    'rejectCall',
    'deleteInstance',
  ],
  webhooks: [
    'getWebhook',
    'configureWebhook',
    'testWebhook',
    'listDeliveryFailures',
    'listWebhooks',
    'addWebhook',
    'getWebhookById',
    'changeWebhook',
    'removeWebhook',
    'testWebhookById',
    'listFailuresById',
    'listEvents',
    'getEvent',
    'redriveEvents',
  ],
  admin: [
    'getOverview',
    'searchInstances',
    'createInstance',
    'getStatusById',
    'connectById',
    'disconnectById',
    'restartById',
    'deleteInstanceById',
    'renewTokenById',
    'createLink',
    'listLinks',
    'deleteLink',
    'getServerWebhook',
    'configureServerWebhook',
    'listHosts',
    'drainHost',
    'undrainHost',
    'createToken',
    'listTokens',
    'renewToken',
    'deleteToken',
    'listAudit',
    'getCapabilities',
  ],
} as const satisfies Record<string, readonly string[]>

/** What `MCP_TOOLS` is unless set. */
export const DEFAULT_TOOL_SETS = 'chat'

export type ToolSet = keyof typeof toolSets

/** What each set may hold at most. */
export const toolSetBounds = { tools: 25, tokens: 4000 } as const

/** JSON routes that no set has. */
export const routesWithoutTool = {
  putMessage: 'the same as editMessage',
  recoverMessage: 'the gateway asks by itself',
  sendAlbum: 'sendMedia sends the same files one by one',
  getAbout: 'changeAbout answers with the text',
  listContacts: 'findContacts has pages',
  listInstances: 'searchInstances has filters and pages',
  pinChat: 'the order of chats on a phone is for the eyes of its owner',
  muteChat: 'the sounds of a phone are for the ears of its owner',
  deleteChat: 'archiveChat puts a chat away and loses nothing',
  subscribeChat: 'presence reaches a webhook or a stream, and a tool has neither',
  getProxy: 'the way to the network is set up with the instance',
  configureProxy: 'the way to the network is set up with the instance',
  removeProxy: 'the way to the network is set up with the instance',
  sendPasskey: 'only a person with an authenticator can answer it',
  importCredential: 'the keys of a device are no text for a model',
  importCredentialById: 'the keys of a device are no text for a model',
  sendPasskeyById: 'only a person with an authenticator can answer it',
  createScopedToken: 'what an agent may do is decided by people',
  listScopedTokens: 'what an agent may do is decided by people',
  deleteScopedToken: 'what an agent may do is decided by people',
  createScopedTokenById: 'what an agent may do is decided by people',
  listScopedTokensById: 'what an agent may do is decided by people',
  deleteScopedTokenById: 'what an agent may do is decided by people',
  registerHost: 'hosts are set up where they run',
  renewHostToken: 'hosts are set up where they run',
  resizeHost: 'hosts are set up where they run',
  deleteHost: 'hosts are set up where they run',
} as const

const sets = Object.entries(toolSets) as [ToolSet, readonly string[]][]

export const findToolSet = (route: string): ToolSet | undefined =>
  sets.find(([, names]) => names.includes(route))?.[0]

export const isToolSet = (word: string): word is ToolSet => Object.hasOwn(toolSets, word)

export const toolSetNames = Object.keys(toolSets) as ToolSet[]

/** Of several words with commas, in the order above, each once. */
export function listToolSets(words: string): ToolSet[] {
  const chosen = words.split(',').map((word) => word.trim())
  return toolSetNames.filter((set) => chosen.includes(set))
}
