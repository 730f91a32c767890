// The words of n8n's editor for the fields of routes: their titles, and descriptions where those of the API do not suit a form.

export interface FieldWords {
  title: string
  /** In place of the description of the API. */
  says?: string
  placeholder?: string
  /** Lines of the text field. */
  rows?: number
  /** How a list is typed. */
  separator?: 'commas' | 'lines'
  /** The value before anybody changes it; by default that of the kind. */
  preset?: string | number | boolean
  /** Required by the API, but with a meaning when empty. */
  mayBeEmpty?: true
  isTime?: true
}

const number = 'e.g. 5511987654321'

/** By name, or by route and name where a name means two things. */
const words: Record<string, FieldWords> = {
  about: { title: 'About', mayBeEmpty: true, rows: 3 },
  action: { title: 'Change', says: 'What happens to the people' },
  address: { title: 'Address' },
  announce: { title: 'Only Admins Write', says: 'Whether only admins can write in the group' },
  archive: { title: 'Archive', says: 'Whether to archive the chat, or take it out of the archive' },
  async: {
    title: 'Respond at Once',
    says: 'Whether to continue at once with the status Pending. The outcome arrives as an event.',
  },
  block: { title: 'Block', says: 'Whether to block the person, or to end the block' },
  cancelled: { title: 'Cancelled', says: 'Whether phones show the event as called off' },
  chatid: { title: 'Number or Chat ID', placeholder: number },
  choices: {
    title: 'Choices',
    separator: 'lines',
    rows: 4,
    says: 'One in each line. Of a poll 2 to 12. Of buttons <code>text|ID</code>, of a list <code>text|ID|description</code> under titles in square brackets. Of a carousel each card is its text in square brackets, its picture in curly brackets if it has one, and its buttons.',
  },
  contactScope: { title: 'Scope' },
  days: { title: 'Days', preset: 7 },
  delay: { title: 'Delay' },
  description: { title: 'Description', mayBeEmpty: true, rows: 3 },
  docName: { title: 'File Name' },
  email: { title: 'Email', placeholder: 'name@email.com', says: 'The email address on the card' },
  ephemeral: { title: 'Disappear After' },
  endTime: { title: 'End Time', says: 'When the event ends, in milliseconds' },
  footerText: { title: 'Footer' },
  force: { title: 'Ask the Network', says: 'Whether to ask the network, in place of the stored data' },
  forward: { title: 'Show as Forwarded', says: 'Whether phones show the message as forwarded' },
  fromMe: {
    title: 'From Me',
    says: 'Whether to return only messages of the account, or only those of others',
  },
  fullName: { title: 'Full Name', placeholder: 'e.g. Nathan Smith' },
  generate_mp3: { title: 'Convert to MP3', says: 'Whether a sound comes as MP3' },
  getInviteLink: {
    title: 'Get Invite Link',
    says: 'Whether to ask the network for the link, which only admins get',
  },
  groupjid: { title: 'Group ID', placeholder: 'e.g. 120363041234567890@g.us' },
  history: { title: 'History' },
  id: { title: 'Message ID' },
  imageButton: {
    title: 'Picture',
    placeholder: 'e.g. https://shop.example/lamp.jpg',
    says: 'Of buttons: the picture above them, as a URL or base64',
  },
  invitecode: { title: 'Invitation' },
  joinApproval: { title: 'Approve Members', says: 'Whether admins approve who joins by a link' },
  joinLink: { title: 'Join Link', says: 'The address of a call' },
  latitude: { title: 'Latitude' },
  linkPreview: { title: 'Link Preview', says: 'Whether to show a preview of the first link of the text' },
  linkPreviewDescription: { title: 'Preview Description' },
  linkPreviewImage: {
    title: 'Preview Picture',
    placeholder: 'e.g. https://shop.example/lamp.jpg',
    says: 'The picture of the preview, as a URL or base64',
  },
  linkPreviewTitle: {
    title: 'Preview Title',
    says: 'The title of the preview, in place of that of the page',
  },
  listButton: { title: 'List Button' },
  locationName: { title: 'Location Name', says: 'The place, in words' },
  longitude: { title: 'Longitude' },
  memberAddMode: { title: 'Who Adds Members' },
  mentions: {
    title: 'Mentions',
    says: 'The people who are mentioned in the text, separated by commas. <code>all</code> stands for all members of a group.',
  },
  messageType: { title: 'Message Type' },
  mimetype: { title: 'MIME Type' },
  name: { title: 'Name' },
  noparticipants: { title: 'Without Participants', says: 'Whether to leave out the participants' },
  number: { title: 'Number or Chat ID', placeholder: number },
  numbers: { title: 'Numbers', separator: 'commas', says: 'Phone numbers or IDs, separated by commas' },
  organization: { title: 'Organization' },
  participants: {
    title: 'Participants',
    separator: 'commas',
    says: 'Phone numbers or IDs of people, separated by commas',
  },
  phone: { title: 'Phone Number', placeholder: number },
  phoneNumber: { title: 'Phone Number', placeholder: number },
  pin: { title: 'Pin', says: 'Whether to pin the message, or to unpin it' },
  presence: { title: 'Presence' },
  readchat: { title: 'Mark Chat as Read', says: 'Whether to mark the chat as read before sending' },
  replyid: { title: 'Reply to Message ID' },
  seconds: { title: 'Disappear After' },
  search: { title: 'Search' },
  selectableCount: { title: 'Selectable Choices', preset: 1 },
  sendAt: { title: 'Send At', isTime: true },
  sort: { title: 'Sort' },
  star: { title: 'Star', says: 'Whether to star the message, or to remove the star' },
  startTime: { title: 'Start Time', says: 'When the event begins, in milliseconds' },
  text: { title: 'Text', rows: 4 },
  track_id: { title: 'Tracking ID' },
  track_source: { title: 'Tracking Source' },
  type: { title: 'Type' },
  unread: { title: 'Unread', says: 'Whether to return only chats with unread messages' },
  url: { title: 'URL', says: 'The web page on the card' },
  viewOnce: { title: 'View Once', says: 'Whether the file can be seen only once' },
  wa_archived: { title: 'Archived', says: 'Whether to return only archived chats, or only others' },
  wa_chatid: { title: 'Chat ID' },
  wa_isGroup: { title: 'Groups', says: 'Whether to return only groups, or only chats with one person' },
  wa_isGroup_admin: {
    title: 'Groups Administered',
    says: 'Whether to return only groups that the account administers, or only others',
  },
  wa_isGroup_member: {
    title: 'Groups Joined',
    says: 'Whether to return only groups that the account is in, or only others',
  },
  wa_label: { title: 'Label' },
  wa_name: { title: 'Name' },
  'markRead.id': {
    title: 'Message IDs',
    separator: 'commas',
    says: 'The IDs of received messages, separated by commas',
  },
  'reactToMessage.text': { title: 'Emoji', mayBeEmpty: true, says: 'Leave it empty to remove the reaction' },
  'sendMedia.text': { title: 'Caption', says: 'The words below the file' },
  'sendMenu.text': { title: 'Question', rows: 2 },
}

const valueNames: Record<string, string> = {
  address_book: 'Address Book',
  composing: 'Typing',
  myaudio: 'Voice Note (Myaudio)',
  ptt: 'Voice Note',
  ptv: 'Round Video Note',
  videoplay: 'Looping Video',
  button: 'Buttons',
  messageTimestamp: 'Oldest First',
  '-messageTimestamp': 'Newest First',
  messages: 'Message',
  messages_update: 'Message Updated',
  messages_edit: 'Message Edited',
  groups: 'Group Changed',
  undecryptable: 'Message Not Decrypted',
  limits: 'Limit Changed',
  wasSentByApi: 'Sent by the API',
  wasNotSentByApi: 'Not Sent by the API',
  fromMeYes: 'From the Account',
  fromMeNo: 'From Others',
  isGroupYes: 'In Groups',
  isGroupNo: 'In Chats With One Person',
}

export function findWords(route: string, field: string): FieldWords {
  const found = words[`${route}.${field}`] ?? words[field]
  if (!found) throw new Error(`cli/build/clients/n8n-words.ts has no words for ${field} of ${route}`)
  return found
}

export const nameValue = (value: string): string =>
  valueNames[value] ?? value.charAt(0).toUpperCase() + value.slice(1)
