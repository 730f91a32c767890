// What a source of accounts is: a place where another program keeps the credentials of its linked devices. It is only read.

/** A row as the library gave it to its store: a name, and its value in the library's JSON. */
export interface StoredRow {
  /** `creds`, or the kind and the id of a key with a dash between them. */
  name: string
  json: string
}

/** Of another program, in the names of this gateway. */
export interface MovingWebhook {
  url: string
  events: string[]
  excludeMessages?: 'isGroupYes'
  headers?: Record<string, string>
}

export interface MovingAccount {
  /** Names it within its source, whenever that is read. */
  id: string
  name: string
  /** Digits of the account and of its device; empty if no device is linked. */
  number: string
  device: string
  /** With that of the credential itself. */
  rows: number
  lastUse: Date | undefined
  /** Why it cannot be moved. */
  obstacle?: string | undefined
  /** By what it seems that the other program still runs. */
  inUse?: string | undefined
  webhook?: MovingWebhook | undefined
  /** The URL of the proxy by which it reaches the network. */
  proxy?: string | undefined
  /** What the source has besides, and what does not come along. */
  notMoved: string[]
  /** The credential is the first. */
  readRows(): AsyncIterable<StoredRow>
}

export interface MovingSource {
  /** For people and for the log: without a password. */
  name: string
  listAccounts(): Promise<MovingAccount[]>
  close(): Promise<void>
}
