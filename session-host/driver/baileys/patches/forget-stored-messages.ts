// Apart from apply-patches.ts, because each patch is removed alone. Patch: sockets do not cache a second copy of messages that are in our
// store.

import type { proto } from 'baileys'
import { MessageRetryManager } from 'baileys/lib/Utils/message-retry-manager.js'
import type { Patch } from './patch.ts'

const remember = MessageRetryManager.prototype.addRecentMessage

/** Only messages that the library itself sends are not in our store. */
function rememberWhatIsNotStored(this: MessageRetryManager, to: string, id: string, message: proto.IMessage) {
  if (message.protocolMessage) remember.call(this, to, id, message)
}

export const forgetStoredMessages: Patch = {
  name: 'forget-stored-messages',
  library: 'baileys@7.0.0-rc14',
  fault:
    'Each socket keeps the last 512 messages, received ones too, for five minutes, each with a timer and the whole buffer that it was decoded from.',
  why: 'Some 3 KB a message, up to 1.5 MB a session, was what grew in a host under steady traffic; getMessage answers a resend from our store.',
  upstream:
    'To file with WhiskeySockets/Baileys: "MessageRetryManager keeps received messages, which are never asked for, and an option for its size is missing". With the heap of a socket that received 512 messages.',
  until:
    'The library remembers sent messages only, and asks getMessage first, or its number can be set without losing the retry counters.',
  apply() {
    MessageRetryManager.prototype.addRecentMessage = rememberWhatIsNotStored
  },
}
