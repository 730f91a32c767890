// The schemas of all frames on the link between an edge and a session host; `t` says which one it is. A WebSocket message is a JSON array of frames.

import * as z from 'zod'
import { Kind, Status } from '../contract/instance-requests.ts'
import { PresenceItem } from '../contract/presence-event.ts'
import { parseCommonFrame } from './common-frames.ts'
import { ReceivedReport } from './host-reports.ts'
import { Outcome } from './outcome.ts'
import { actionNames } from './session-actions.ts'

/** The version of the link. A change that the other side would misread raises it; it ignores added fields. */
export const WIRE_VERSION = 4
/** The oldest version that an edge accepts, because edges are upgraded before their hosts. It refuses other hosts. */
export const MIN_WIRE_VERSION = 4
/** Close code for a host whose `wire` differs. */
export const CLOSE_WRONG_WIRE = 4001
/** Close code for a link that a newer one of the same host has replaced. */
export const CLOSE_REPLACED = 4002
/** Close code for a host that was deleted or whose frames do not parse. */
export const CLOSE_REJECTED = 4003

/** The most instances in a frame. */
export const MAX_INSTANCES_PER_FRAME = 500

/** The most reports in a frame. */
export const MAX_REPORTS_PER_FRAME = 200

/** The host of an instance, as the edge has decided. A newer epoch fences older ones. */
const Assignment = z.object({
  instance: z.uuid(),
  epoch: z.int().positive(),
  kind: Kind,
  /** The device that was linked before the host's store was lost: it is paired again only if the caller asks for it. */
  jid: z.string().optional(),
})
export type Assignment = z.infer<typeof Assignment>

const Hello = z.object({
  t: z.literal('hello'),
  wire: z.int(),
  /** A new random id at every start of the host's process. */
  boot: z.uuid(),
  /** The id of the store with its sessions. Hosts that name the same store can take over from each other. */
  store: z.uuid(),
  slots: z.int().positive(),
  /** It keeps acts to the chats that they name; an edge sends no such act to another host. */
  chats: z.boolean().optional(),
  sessions: z.array(z.object({ instance: z.uuid(), epoch: z.int().positive(), status: Status })),
})

/** Every `heartbeatMs`; renews the lease. `lag` is the host's event-loop lag in milliseconds. */
const Beat = z.object({
  t: z.literal('beat'),
  sessions: z.int().nonnegative(),
  lag: z.number().nonnegative(),
  outbox: z.int().nonnegative(),
})

/** The act is in the host's journal. From here on only its outcome shows how it ended. */
const Accepted = z.object({ t: z.literal('accepted'), id: z.uuid() })

const OutcomeFrame = z.object({
  t: z.literal('outcome'),
  id: z.uuid(),
  outcome: Outcome,
  /** The instance of the act; the edge deletes the stored outcome with it. */
  instance: z.uuid(),
})

/** Answer to an act that came too late, or to the frame `what`, if this host did not start the act. */
const NotStarted = z.object({
  t: z.literal('not_started'),
  id: z.uuid(),
  /** Of an act that came too late: its caller may have its 504 already, and the key must not repeat it. */
  instance: z.uuid().optional(),
  /** It will not start it either: its journal says so. */
  never: z.boolean().optional(),
})

/** This host is going to stop: it gets no new instances. */
const Draining = z.object({ t: z.literal('draining') })

/** These sessions are closed here and completely in the store: another host may open them. */
const Yielded = z.object({
  t: z.literal('yielded'),
  sessions: z.array(z.object({ instance: z.uuid(), epoch: z.int().positive() })).min(1),
})

const Events = z.object({
  t: z.literal('events'),
  items: z.array(ReceivedReport).min(1).max(MAX_REPORTS_PER_FRAME),
})

/** The most items in a frame of presence. */
export const MAX_PRESENCE_PER_FRAME = 100

/** Sent only to an edge whose `welcome` names `presence`; not acknowledged, and not repeated. */
const PresenceFrame = z.object({
  t: z.literal('presence'),
  items: z.array(PresenceItem).min(1).max(MAX_PRESENCE_PER_FRAME),
})

export const HostFrame = z.discriminatedUnion('t', [
  Hello,
  Beat,
  Accepted,
  OutcomeFrame,
  NotStarted,
  Draining,
  Yielded,
  Events,
  PresenceFrame,
])
export type HostFrame = z.infer<typeof HostFrame>

const Welcome = z.object({
  t: z.literal('welcome'),
  host: z.uuid(),
  heartbeatMs: z.int().positive(),
  leaseMs: z.int().positive(),
  /** The most `events` frames without an acknowledgement. */
  credit: z.int().positive(),
  /** The edge takes frames of presence; one before that would close the link. */
  presence: z.boolean().optional(),
  /** Instances that another host has now: this one closes their sessions. */
  release: z.array(z.uuid()),
  /** Instances that were deleted: this host deletes all their data. */
  gone: z.array(z.uuid()),
})

/** Wanted instances that are assigned to this host, new or again: it connects them. */
const Hold = z.object({ t: z.literal('hold'), sessions: z.array(Assignment).min(1) })

/** As `release` in `welcome`. */
const Release = z.object({ t: z.literal('release'), instances: z.array(z.uuid()).min(1) })

/** Other hosts can take these instances: this one closes them and sends `yielded`. */
const Yield = z.object({ t: z.literal('yield'), instances: z.array(z.uuid()).min(1) })

/** Answer to `beat`: the lease was renewed. */
const BeatRenewed = z.object({ t: z.literal('beaten') })

const Act = z.object({
  t: z.literal('act'),
  id: z.uuid(),
  instance: z.uuid(),
  /** Of the assignment that the edge read. A host with a newer one refuses the act. */
  epoch: z.int().positive(),
  action: z.enum(actionNames),
  /** The host parses it by the schema of the action. */
  input: z.unknown(),
  /** The chats that its caller may see; absent for all. */
  chats: z.array(z.string()).optional(),
  /** Milliseconds left. After them the caller has its 504, and the host must not start the act. */
  budget: z.int().positive(),
  /** Milliseconds after which the caller has gone, if that is before the budget ends. */
  patience: z.int().positive().optional(),
  /** The id of the HTTP request, for the host's log. */
  requestId: z.string().optional(),
  /** The trace context of that request, as in HTTP. */
  traceparent: z.string().optional(),
})
export type Act = z.infer<typeof Act>

/** Asks for the outcome of an act that was handed over before the link broke. */
const OutcomeQuery = z.object({
  t: z.literal('what'),
  id: z.uuid(),
  /**
   * If the act is not in the journal, it is not started any more, and the answer says `never`. Only by the process that had the
   * instance when the act was handed over: the journal of another one may be that of a backup.
   */
  refuse: z.object({ instance: z.uuid(), boot: z.uuid() }).optional(),
})
export type OutcomeQuery = z.infer<typeof OutcomeQuery>

/** The outcome has arrived: the host may forget it. */
const Seen = z.object({ t: z.literal('seen'), id: z.uuid() })

/**
 * Every report up to and including `upTo` is in the database, and the outbox may delete it. Reports of instances that
 * have `moved` were refused: their new host has to send them.
 */
const Ack = z.object({
  t: z.literal('ack'),
  upTo: z.int().nonnegative(),
  moved: z.array(z.uuid()),
  /** The parts of a history that no webhook gets. They were not stored, and the host need not send what is left of their chunks. */
  unwanted: z.array(z.object({ instance: z.uuid(), id: z.uuid() })).optional(),
})

export const EdgeFrame = z.discriminatedUnion('t', [
  Welcome,
  BeatRenewed,
  Act,
  OutcomeQuery,
  Seen,
  Ack,
  Hold,
  Release,
  Yield,
])
export type EdgeFrame = z.infer<typeof EdgeFrame>

/** Parses one WebSocket message; undefined if it is not an array of known frames. */
export const parseHostFrames = (text: string): HostFrame[] | undefined =>
  parseFrames(text, (frame) => parseCommonFrame(frame, MAX_REPORTS_PER_FRAME) ?? HostFrame.parse(frame))

const edgeFrameNames: ReadonlySet<unknown> = new Set(EdgeFrame.options.map(({ shape }) => shape.t.value))

/** For a host, which trusts its edge: checks only that each frame has a known name. */
export function readEdgeFrames(text: string): EdgeFrame[] | undefined {
  try {
    const frames: unknown = JSON.parse(text)
    return Array.isArray(frames) && frames.every((frame) => edgeFrameNames.has(frame?.t)) ? frames : undefined
  } catch {
    return undefined
  }
}

/** Says why a message was refused, for the close reason and the log. Names the kind of frame if it is not known here. */
export function explainMalformed(text: string, union: typeof HostFrame | typeof EdgeFrame): string {
  const names = new Set(union.options.map(({ shape }): unknown => shape.t.value))
  const kinds = listFrameKinds(text).filter((kind) => !names.has(kind))
  const [first] = kinds.filter((kind): kind is string => typeof kind === 'string' && LOGGABLE_KIND.test(kind))
  return first ? `a frame of kind ${first} is not known here` : 'these are no frames'
}

/** Kinds of this form may be written to a log. */
const LOGGABLE_KIND = /^\w{1,40}$/

function listFrameKinds(text: string): unknown[] {
  try {
    const frames: unknown = JSON.parse(text)
    return Array.isArray(frames) ? frames.map((frame) => frame?.t) : []
  } catch {
    return []
  }
}

/** Checks each frame against its schema. */
export const parseEdgeFrames = (text: string): EdgeFrame[] | undefined =>
  parseFrames(text, (frame) => EdgeFrame.parse(frame))

function parseFrames<Frame>(text: string, parseFrame: (frame: unknown) => Frame): Frame[] | undefined {
  try {
    const frames: unknown = JSON.parse(text)
    return Array.isArray(frames) ? frames.map((frame) => parseFrame(frame)) : undefined
  } catch {
    return undefined
  }
}
