// Every frame on the link between an edge and a session host, told apart by `t`. A WebSocket message is a JSON array of them.

import * as z from 'zod'
import { Kind, Status } from '../contract/instance.ts'
import { actionNames } from './actions.ts'
import { Outcome } from './outcome.ts'
import { ReportTaken } from './reports.ts'
import { usualFrame } from './usual-frames.ts'

/** Raised with every change that the other side would misread. What is only added to a frame, the other side passes over. */
export const WIRE = 4
/** What an edge still speaks with: edges are upgraded before their hosts. A host with a number outside is sent away. */
export const OLDEST_WIRE = 4
/** Close code for a host whose `wire` differs. */
export const CLOSE_WRONG_WIRE = 4001
/** Close code for a link that a newer one of the same host has replaced. */
export const CLOSE_REPLACED = 4002
/** Close code for a host that was deleted or whose frames do not parse. */
export const CLOSE_UNWELCOME = 4003

/** Instances a frame may name. */
export const INSTANCES_A_FRAME = 500

/** Reports a frame may carry. */
export const REPORTS_A_FRAME = 200

/** Whose an instance is, as the edge has decided: newer epochs fence older ones off. */
const Assignment = z.object({
  instance: z.uuid(),
  epoch: z.int().positive(),
  kind: Kind,
  /** The device that was linked before the host's store was lost: it is not paired anew without being asked to. */
  jid: z.string().optional(),
})
export type Assignment = z.infer<typeof Assignment>

const Hello = z.object({
  t: z.literal('hello'),
  wire: z.int(),
  /** Made anew at every start of the host's process. */
  boot: z.uuid(),
  /** Where it keeps its sessions: hosts that name the same store can take over from each other. */
  store: z.uuid(),
  slots: z.int().positive(),
  sessions: z.array(z.object({ instance: z.uuid(), epoch: z.int().positive(), status: Status })),
})

/** Every `heartbeatMs`; renews the lease. `lag` is the host's event-loop lag in milliseconds. */
const Beat = z.object({
  t: z.literal('beat'),
  sessions: z.int().nonnegative(),
  lag: z.number().nonnegative(),
  outbox: z.int().nonnegative(),
})

/** The act is in the host's journal; from here on only its outcome tells what became of it. */
const Accepted = z.object({ t: z.literal('accepted'), id: z.uuid() })

const OutcomeFrame = z.object({
  t: z.literal('outcome'),
  id: z.uuid(),
  outcome: Outcome,
  /** Whose act it was: what the edge keeps of the outcome goes with that. An earlier version does not say. */
  instance: z.uuid().optional(),
})

/** Answer to `what` of an act that this host did not start. */
const NotStarted = z.object({ t: z.literal('not_started'), id: z.uuid() })

/** This host is about to end: it gets no new instances. */
const Draining = z.object({ t: z.literal('draining') })

/** Closed here, and everything of them is in the store: another host may open them. */
const Yielded = z.object({
  t: z.literal('yielded'),
  sessions: z.array(z.object({ instance: z.uuid(), epoch: z.int().positive() })).min(1),
})

const Events = z.object({ t: z.literal('events'), items: z.array(ReportTaken).min(1).max(REPORTS_A_FRAME) })

export const HostFrame = z.discriminatedUnion('t', [
  Hello,
  Beat,
  Accepted,
  OutcomeFrame,
  NotStarted,
  Draining,
  Yielded,
  Events,
])
export type HostFrame = z.infer<typeof HostFrame>

const Welcome = z.object({
  t: z.literal('welcome'),
  host: z.uuid(),
  heartbeatMs: z.int().positive(),
  leaseMs: z.int().positive(),
  /** `events` frames that may be on their way unacknowledged. */
  credit: z.int().positive(),
  /** Instances that are another host's now: this one closes their sessions. */
  release: z.array(z.uuid()),
  /** Instances that were deleted: this one forgets them altogether. */
  gone: z.array(z.uuid()),
})

/** These are this host's now, or again, and wanted: it brings them up. */
const Hold = z.object({ t: z.literal('hold'), sessions: z.array(Assignment).min(1) })

/** As in `welcome`. */
const Release = z.object({ t: z.literal('release'), instances: z.array(z.uuid()).min(1) })

/** There are hosts that can take these: this one closes them and says `yielded`. */
const Yield = z.object({ t: z.literal('yield'), instances: z.array(z.uuid()).min(1) })

/** Answer to `beat`: the lease was renewed. */
const Beaten = z.object({ t: z.literal('beaten') })

const Act = z.object({
  t: z.literal('act'),
  id: z.uuid(),
  instance: z.uuid(),
  /** The assignment that the edge read. A host that holds a newer one refuses the act. */
  epoch: z.int().positive(),
  action: z.enum(actionNames),
  /** Parsed by the action's own schema on arrival. */
  input: z.unknown(),
  /** Milliseconds left. Past them the caller has had a 504 and the host must not start it. */
  budget: z.int().positive(),
  /** Of the request that asks, for the host's log. */
  requestId: z.string().optional(),
  /** The same for whoever follows the work through several programs, as in HTTP. */
  traceparent: z.string().optional(),
})
export type Act = z.infer<typeof Act>

/** Asks after an act that was handed over before the link broke. */
const Query = z.object({ t: z.literal('what'), id: z.uuid() })

/** The outcome has arrived: the host may forget it. */
const Seen = z.object({ t: z.literal('seen'), id: z.uuid() })

/**
 * Every report up to and including `upTo` is in the database: the outbox may forget them, but for those of instances
 * that have `moved`. Those were refused, and are their new host's to report.
 */
const Ack = z.object({ t: z.literal('ack'), upTo: z.int().nonnegative(), moved: z.array(z.uuid()) })

export const EdgeFrame = z.discriminatedUnion('t', [
  Welcome,
  Beaten,
  Act,
  Query,
  Seen,
  Ack,
  Hold,
  Release,
  Yield,
])
export type EdgeFrame = z.infer<typeof EdgeFrame>

/** One WebSocket message to frames; undefined when it is not an array of known frames. */
export const parseHostFrames = (text: string): HostFrame[] | undefined =>
  parseFrames(text, (frame) => usualFrame(frame, REPORTS_A_FRAME) ?? HostFrame.parse(frame))

const edgeFrameNames: ReadonlySet<unknown> = new Set(EdgeFrame.options.map(({ shape }) => shape.t.value))

/** For a host, which trusts its edge: that each is a frame it knows by name is all that is looked at. */
export function readEdgeFrames(text: string): EdgeFrame[] | undefined {
  try {
    const frames: unknown = JSON.parse(text)
    return Array.isArray(frames) && frames.every((frame) => edgeFrameNames.has(frame?.t)) ? frames : undefined
  } catch {
    return undefined
  }
}

/** Why a message was not taken, for the close reason and the log: which kind of frame nobody here knows, if it is that. */
export function whyMalformed(text: string, known: typeof HostFrame | typeof EdgeFrame): string {
  const names = new Set(known.options.map(({ shape }): unknown => shape.t.value))
  const kinds = kindsIn(text).filter((kind) => !names.has(kind))
  const [first] = kinds.filter((kind): kind is string => typeof kind === 'string' && KIND.test(kind))
  return first ? `a frame of kind ${first} is not known here` : 'these are no frames'
}

/** What of it may stand in a log. */
const KIND = /^\w{1,40}$/

function kindsIn(text: string): unknown[] {
  try {
    const frames: unknown = JSON.parse(text)
    return Array.isArray(frames) ? frames.map((frame) => frame?.t) : []
  } catch {
    return []
  }
}

/** Each held against its schema. */
export const parseEdgeFrames = (text: string): EdgeFrame[] | undefined =>
  parseFrames(text, (frame) => EdgeFrame.parse(frame))

function parseFrames<Frame>(text: string, parse: (frame: unknown) => Frame): Frame[] | undefined {
  try {
    const frames: unknown = JSON.parse(text)
    return Array.isArray(frames) ? frames.map((frame) => parse(frame)) : undefined
  } catch {
    return undefined
  }
}
