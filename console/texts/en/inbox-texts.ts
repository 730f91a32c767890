// The texts of the inbox.

export const inbox = {
  about: 'The chats with unread messages, of all connected instances. Looking at them sends no receipt.',
  none: 'Everything is read.',
  noneHint: 'A new message at any connected instance appears here by itself.',
  noMatch: 'No waiting chat matches.',
  searchHint: 'Name or text',
  all: 'All instances',
  messages: 'Unread messages',
  chats: (count: number) => (count === 1 ? 'in 1 chat' : `in ${count} chats`),
  more: (name: string, count: string) => `${name}: ${count} more chats wait`,
  newest: (count: string, total: string) =>
    `The ${count} of ${total} instances with the newest events are shown.`,
  failed: (name: string) => `${name} could not be asked.`,
  markRead: (name: string) => `Mark ${name} as read`,
  notify: 'Notify me here',
  notifyOff: 'Stop notifying me',
  notifyOn: 'Notifications are on',
  notifyHint: 'This browser shows new messages while the console is open and out of sight.',
  notifyDenied:
    'This browser does not allow this page to notify you. You can change that beside its address.',
}
