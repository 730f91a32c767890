// The network as an act sees it: over the connection of the moment. What a request without an answer means is decided here, for all acts, by
// what was written.

import { setImmediate as turn } from 'node:timers/promises'
import type { Connection, NetworkOutcome } from './driver.ts'
import { Effect } from './effect.ts'
import { ConnectionEnded } from './network-outcome.ts'

export interface TrackedRequests {
  /** Something of an effect of this act has left, and the network has not refused it. */
  hasLeft: boolean
  /** How many effects have: of an act that has several, one after the other. */
  effectsLeft: number
  /** The text of the last failure, for the log only. */
  lastError: string | undefined
  /** Called before anything leaves: what it defers is on disk by then. */
  onLeaving(): void
  /** The act cannot go on, because its journal entry could not be written. */
  hasFailed(): boolean
}

/** Why there is no further connection: `ended` until a caller connects it again. */
export type NoConnection = 'ended' | 'away' | 'too late'

/** A session's connections, one after another. */
export interface Line {
  /** Undefined while not logged in. */
  readonly network: Connection | undefined
  /** The next connection after `previous`, which was lost. */
  waitForNetwork(previous: Connection | undefined, deadline: AbortSignal): Promise<Connection | NoConnection>
}

/**
 * What a call is for. `effect`: it may have an effect. `confirmation`: that the network has read what was written on this connection.
 * `courtesy`: nothing depends on it.
 */
type Purpose = 'question' | 'effect' | 'confirmation' | 'courtesy'

/** Every call that waits for the network. An upload has no effect either. */
const connectionCalls = {
  findAccount: 'question',
  checkNumbers: 'question',
  checkUsernames: 'question',
  confirmRead: 'confirmation',
  sendAssertion: 'effect',
  send: 'effect',
  showPresence: 'effect',
  showTyping: 'courtesy',
  subscribePresence: 'effect',
  markRead: 'effect',
  requestHistory: 'effect',
  requestResend: 'effect',
  rejectCall: 'effect',
  unlink: 'effect',
} satisfies Record<Exclude<keyof Connection, LocalMember>, Purpose>
const groupCalls = {
  listGroups: 'question',
  getGroup: 'question',
  getInviteLink: 'question',
  getInvitedGroup: 'question',
  joinGroup: 'effect',
  resetInviteLink: 'effect',
  setDescription: 'effect',
  setAnnounceOnly: 'effect',
  setLocked: 'effect',
  setJoinApproval: 'effect',
  setMemberAddMode: 'effect',
  setEphemeral: 'effect',
  listRequests: 'question',
  createGroup: 'effect',
  changeMembers: 'effect',
  renameGroup: 'effect',
  leaveGroup: 'effect',
  setPicture: 'effect',
  removePicture: 'effect',
} satisfies Record<keyof Connection['groups'], Purpose>
const mediaCalls = { upload: 'question', download: 'question' } satisfies Record<
  Exclude<keyof Connection['media'], 'encryptFile'>,
  Purpose
>
const accountCalls = {
  getCachedBlockList: 'question',
  getBlockList: 'question',
  getPrivacySettings: 'question',
  getStatusAudience: 'question',
  getPictureUrl: 'question',
  downloadPicture: 'question',
  setBlocked: 'effect',
  setPrivacySetting: 'effect',
  getAbout: 'question',
  setAbout: 'effect',
  showPresence: 'effect',
  setPicture: 'effect',
  removePicture: 'effect',
} satisfies Record<keyof Connection['account'], Purpose>
const settingsCalls = {
  waitUntilReady: 'question',
  catchUp: 'question',
  setProfileName: 'effect',
  setArchived: 'effect',
  setPinned: 'effect',
  setMuted: 'effect',
  setStarred: 'effect',
  clearChat: 'effect',
  deleteChat: 'effect',
  addContact: 'effect',
  removeContact: 'effect',
  saveLabel: 'effect',
  labelChat: 'effect',
} satisfies Record<keyof Connection['settings'], Purpose>

type LocalMember =
  | 'findKnownIds'
  | 'encode'
  | 'confirmSent'
  | 'close'
  | 'groups'
  | 'media'
  | 'account'
  | 'settings'

type Outcome = NetworkOutcome<unknown>
type Call = (...args: unknown[]) => Promise<Outcome>

/** The network of an act, which begins on `first`. `requests` is updated by its calls; `deadline` is that of the act. */
export function trackRequests(
  line: Line,
  first: Connection,
  requests: TrackedRequests,
  deadline: AbortSignal,
): Connection {
  const tracker = new RequestTracker(line, first, requests, deadline)
  return {
    ...first,
    ...tracker.trackCalls((network) => network, connectionCalls),
    findKnownIds: (jid) => tracker.readKeys((network) => network.findKnownIds(jid)),
    encode: (content, timer) => tracker.latest.encode(content, timer),
    confirmSent: (messageid) => tracker.latest.confirmSent(messageid),
    close: () => tracker.latest.close(),
    groups: tracker.trackCalls(({ groups }) => groups, groupCalls),
    media: {
      encryptFile: (type, file) => tracker.latest.media.encryptFile(type, file),
      ...tracker.trackCalls(({ media }) => media, mediaCalls),
    },
    account: tracker.trackCalls(({ account }) => account, accountCalls),
    settings: tracker.trackCalls(({ settings }) => settings, settingsCalls),
  }
}

class RequestTracker {
  readonly #line: Line
  readonly #requests: TrackedRequests
  readonly #deadline: AbortSignal
  #latest: Connection

  constructor(line: Line, first: Connection, requests: TrackedRequests, deadline: AbortSignal) {
    this.#line = line
    this.#latest = first
    this.#requests = requests
    this.#deadline = deadline
  }

  /** The connection of the moment, or the one before it. */
  get latest(): Connection {
    this.#latest = this.#line.network ?? this.#latest
    return this.#latest
  }

  trackCalls<Calls extends object, Name extends keyof Calls & string>(
    getCalls: (network: Connection) => Calls,
    purposes: Record<Name, Purpose>,
  ): Pick<Calls, Name> {
    const tracked: Record<string, Call> = {}
    for (const [name, purpose] of Object.entries<Purpose>(purposes)) {
      tracked[name] = async (...args) => {
        const call = (network: Connection) => {
          const calls = getCalls(network)
          // Parts of a connection may be instances of classes, so their calls are called on them.
          return ((calls as Record<string, Call>)[name] as Call).apply(calls, args)
        }
        const outcome = await this.#runCall(call, purpose, findSignal(args) ?? this.#deadline)
        if (outcome.kind !== 'done') this.#requests.lastError = outcome.message
        return outcome
      }
    }
    return tracked as unknown as Pick<Calls, Name>
  }

  /** Reads stored keys, which a connection that has ended does not do. */
  async readKeys<Value>(read: (network: Connection) => Promise<Value>): Promise<Value> {
    for (;;) {
      const network = this.latest
      try {
        return await read(network)
      } catch (error) {
        if (!(error instanceof ConnectionEnded)) throw error
        if (typeof (await this.#waitForNext(network, this.#deadline)) === 'string') throw error
      }
    }
  }

  /** Over the next connection, if one is lost before anything of the effect has left. */
  async #runCall(
    call: (network: Connection) => Promise<Outcome>,
    purpose: Purpose,
    until: AbortSignal,
  ): Promise<Outcome> {
    if (purpose === 'courtesy' || purpose === 'confirmation') return call(this.latest)
    for (;;) {
      const network = this.latest
      const effect = purpose === 'effect' ? new Effect(() => this.#requests.onLeaving()) : undefined
      const outcome = await this.#runOnce(network, call, effect)
      if (outcome.kind !== 'unknown') {
        if (effect && outcome.kind === 'done') this.#countLeft()
        return outcome
      }
      if (effect && (await effect.end())) {
        this.#countLeft()
        return outcome
      }
      const next = outcome.lost ? await this.#waitForNext(network, until) : 'too late'
      if (typeof next === 'string') return prevent(next, outcome.message)
    }
  }

  #countLeft(): void {
    this.#requests.hasLeft = true
    this.#requests.effectsLeft += 1
  }

  async #runOnce(
    network: Connection,
    call: (network: Connection) => Promise<Outcome>,
    effect: Effect | undefined,
  ): Promise<Outcome> {
    try {
      return await (effect ? effect.run(() => call(network)) : call(network))
    } catch (error) {
      if (error instanceof ConnectionEnded) return { kind: 'unknown', message: error.message, lost: true }
      if (effect && (await effect.end())) this.#countLeft()
      throw error
    }
  }

  async #waitForNext(previous: Connection, until: AbortSignal): Promise<Connection | NoConnection> {
    // The failure of a write that the connection was closed for is known after this.
    await turn()
    return this.#requests.hasFailed() ? 'away' : this.#line.waitForNetwork(previous, until)
  }
}

const findSignal = (args: unknown[]) => args.find((one): one is AbortSignal => one instanceof AbortSignal)

/** Nothing has left: that is known, whatever became of the connection. */
const prevent = (why: NoConnection, message?: string): Outcome => ({
  kind: 'prevented',
  by: why === 'ended' ? 'not_connected' : 'msgnet_unreachable',
  ...(message !== undefined && { message }),
})

/** A line of one connection only. */
export const createSingleLine = (network: Connection): Line => ({
  network,
  waitForNetwork: async () => 'away',
})
