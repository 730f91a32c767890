// The operations of the node for n8n: which routes it has, in which resource, and what n8n's editor calls them.

export interface NodeOperation {
  /** The route that it requests. */
  route: string
  value: string
  name: string
  /** A sentence for the list of actions. */
  action: string
  /** Optional fields that stand among the required ones. */
  shown?: string[]
  /** Sends of which the optional fields are not those of the others. */
  hasOwnOptions?: true
  /** Fields of the route that the node sets itself, or that a person has no use for. */
  left?: string[]
}

export interface NodeResource {
  value: string
  name: string
  operations: NodeOperation[]
}

/** Fields of sends that have another name too, or no effect. */
const double = ['readmessages', 'caption']
/** The node pages by itself. */
const paging = ['limit', 'offset', 'page', 'pageSize', 'afterId', 'beforeId', 'before']

/** Of chats: nobody looks for them in a workflow. */
// biome-ignore format: a list of names.
const rareFilters = [
  'wa_chatlid', 'wa_fastid', 'wa_muteEndTime', 'wa_lastMsgTimestamp', 'wa_unreadCount', 'wa_lastMessageTextVote',
  'wa_lastMessageType', 'wa_lastMessageSender', 'wa_contactName', 'wa_isBlocked', 'wa_isGroup_announce', 'wa_isPinned',
  'name', 'phone', 'operator',
]

export const resources: NodeResource[] = [
  {
    value: 'chat',
    name: 'Chat',
    operations: [
      { route: 'archiveChat', value: 'archive', name: 'Archive', action: 'Archive a chat' },
      {
        route: 'findChats',
        value: 'getAll',
        name: 'Get Many',
        action: 'Get many chats',
        left: [...paging, ...rareFilters],
      },
      {
        route: 'readChat',
        value: 'markRead',
        name: 'Mark as Read',
        action: 'Mark a chat as read',
        left: ['read'],
      },
      {
        route: 'setChatTimer',
        value: 'setTimer',
        name: 'Set Disappearing Messages',
        action: 'Set when messages of a chat disappear',
      },
      { route: 'showPresence', value: 'showTyping', name: 'Show Typing', action: 'Show typing in a chat' },
    ],
  },
  {
    value: 'contact',
    name: 'Contact',
    operations: [
      { route: 'blockPerson', value: 'block', name: 'Block', action: 'Block a person' },
      {
        route: 'checkNumbers',
        value: 'check',
        name: 'Check Numbers',
        action: 'Check which numbers have an account',
      },
      {
        route: 'findContacts',
        value: 'getAll',
        name: 'Get Many',
        action: 'Get many contacts',
        left: paging,
      },
    ],
  },
  {
    value: 'group',
    name: 'Group',
    operations: [
      {
        route: 'changeParticipants',
        value: 'changeParticipants',
        name: 'Change Participants',
        action: 'Change the participants of a group',
      },
      {
        route: 'changeGroupSettings',
        value: 'changeSettings',
        name: 'Change Settings',
        action: 'Change the settings of a group',
      },
      { route: 'createGroup', value: 'create', name: 'Create', action: 'Create a group' },
      { route: 'showGroup', value: 'get', name: 'Get', action: 'Get a group' },
      {
        route: 'listJoinRequests',
        value: 'getJoinRequests',
        name: 'Get Join Requests',
        action: 'Get who asks to join a group',
      },
      { route: 'listGroups', value: 'getAll', name: 'Get Many', action: 'Get many groups' },
      { route: 'joinGroup', value: 'join', name: 'Join', action: 'Join a group' },
      { route: 'leaveGroup', value: 'leave', name: 'Leave', action: 'Leave a group' },
      { route: 'renameGroup', value: 'rename', name: 'Rename', action: 'Rename a group' },
      {
        route: 'describeGroup',
        value: 'setDescription',
        name: 'Set Description',
        action: 'Set the description of a group',
      },
      {
        route: 'announceGroup',
        value: 'setWriters',
        name: 'Set Who Writes',
        action: 'Set who writes in a group',
      },
    ],
  },
  {
    value: 'instance',
    name: 'Instance',
    operations: [
      { route: 'connect', value: 'connect', name: 'Connect', action: 'Connect the instance' },
      {
        route: 'getAbout',
        value: 'getAbout',
        name: 'Get About',
        action: 'Get the about text of the account',
      },
      { route: 'getLimits', value: 'getLimits', name: 'Get Limits', action: 'Get the limits of the account' },
      {
        route: 'getStatus',
        value: 'getStatus',
        name: 'Get Status',
        action: 'Get the status of the instance',
      },
      { route: 'restart', value: 'restart', name: 'Restart', action: 'Restart the session of the instance' },
      {
        route: 'changeAbout',
        value: 'setAbout',
        name: 'Set About',
        action: 'Set the about text of the account',
      },
    ],
  },
  {
    value: 'message',
    name: 'Message',
    operations: [
      { route: 'deleteMessage', value: 'delete', name: 'Delete', action: 'Delete a message' },
      {
        route: 'downloadMessage',
        value: 'download',
        name: 'Download Media',
        action: 'Download the file of a message',
        left: ['return_base64', 'return_link'],
      },
      { route: 'editMessage', value: 'edit', name: 'Edit', action: 'Edit a message' },
      { route: 'forwardMessage', value: 'forward', name: 'Forward', action: 'Forward a message' },
      {
        route: 'findMessages',
        value: 'getAll',
        name: 'Get Many',
        action: 'Get many messages',
        left: paging,
      },
      { route: 'markRead', value: 'markRead', name: 'Mark as Read', action: 'Mark messages as read' },
      { route: 'pinMessage', value: 'pin', name: 'Pin', action: 'Pin a message', shown: ['pin', 'days'] },
      { route: 'reactToMessage', value: 'react', name: 'React', action: 'React to a message' },
      {
        route: 'sendAlbum',
        value: 'sendAlbum',
        name: 'Send Album',
        action: 'Send an album',
        hasOwnOptions: true,
        // From the fields of an item, or by their addresses, and so written by hand.
        left: [...double, 'files'],
      },
      {
        route: 'sendContact',
        value: 'sendContact',
        name: 'Send Contact',
        action: 'Send a contact card',
        left: double,
      },
      { route: 'sendEvent', value: 'sendEvent', name: 'Send Event', action: 'Send an event', left: double },
      {
        route: 'sendLocation',
        value: 'sendLocation',
        name: 'Send Location',
        action: 'Send a location',
        left: double,
      },
      {
        route: 'sendMedia',
        value: 'sendMedia',
        name: 'Send Media',
        action: 'Send a file',
        shown: ['text'],
        // It has two forms in the node, from an item or by its address, and so is written by hand.
        left: [...double, 'file'],
      },
      {
        route: 'sendMenu',
        value: 'sendMenu',
        name: 'Send Poll or Menu',
        action: 'Send a poll or a menu',
        left: double,
      },
      { route: 'sendText', value: 'sendText', name: 'Send Text', action: 'Send a text', left: double },
      { route: 'starMessage', value: 'star', name: 'Star', action: 'Star a message', shown: ['star'] },
    ],
  },
  {
    value: 'scheduled',
    name: 'Scheduled Message',
    operations: [
      { route: 'cancelScheduled', value: 'cancel', name: 'Cancel', action: 'Cancel a scheduled message' },
      {
        route: 'listScheduled',
        value: 'getAll',
        name: 'Get Many',
        action: 'Get many scheduled messages',
        left: paging,
      },
    ],
  },
]
