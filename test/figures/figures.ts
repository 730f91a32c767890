// The figures of recorded runs, as docs/run/figures.json has them.

import type { NamedCost } from '../bench/cost.ts'

/** Where, when and of what a run was. */
export interface Origin {
  /** ISO 8601, the day. */
  date: string
  commit: string
  cores: number
  /** Version of Node. */
  node: string
}

export interface SessionFigures {
  count: number
  /** MiB of the process when nothing happens: the session host's, and that of the library alone with its keys on disk. */
  memory: { ours: number; library: number }
  /** Seconds from the start of the process to the last login. */
  back: { ours: number; library: number }
}

export interface KillFigures {
  rounds: number
  seed: number
  devices: number
  /** How often each part was killed by SIGKILL. */
  kills: Record<string, number>
  /** Messages that the network had for us, those of histories among them, and the sends of callers. */
  messages: number
  sends: number
  lostMessages: number
  /** Sends that reached their phone more than once. */
  doubledSends: number
}

/** In seconds: until all is installed, then until the gateway answers, then until a first message has come. */
export interface WaySeconds {
  /** Not of an image, which an engine would pull. */
  install?: number
  ready: number
  message: number
}

export interface WayRow {
  way: string
  /** What a person types. */
  commands: string[]
  node: string
  seconds: WaySeconds
}

export interface WayFigures {
  /** What else ran on the machine: processes that ran or waited for a core when the run began. */
  load: number
  rows: WayRow[]
}

export interface Figures {
  costs?: { origin: Origin; rows: NamedCost[] }
  sessions?: { origin: Origin } & SessionFigures
  ways?: { origin: Origin } & WayFigures
  kills?: { origin: Origin } & KillFigures
}
