// What names a message in requests to the network: its id, its chat and its author.

export interface MessageKey {
  messageid: string
  chatid: string
  /** The author, as addressed. */
  sender: string
  isGroup: boolean
}

export interface OwnKey {
  messageid: string
  fromMe: boolean
  chatid: string
  sender: string
  isGroup: boolean
}
