// What each step of the day has at hand: the instance, the person, and what the protocol log and the events have told since the step began.

import { setTimeout as wait } from 'node:timers/promises'
import type { InstanceClient } from '@msgnet/client/instance-client.ts'
import type { LoggedNode, LogLine } from '@msgnet/shared/network-log-lines.ts'
import { describeLine } from '../network-log/describe-line.ts'
import type { DayEntry } from './day-log.ts'
import type { Person } from './person-tasks.ts'

/** A check that was not met. Its words are for the report. */
export class StepFailed extends Error {}

const LOOK_MS = 500
const MAX_STANZAS = 40

export type LoggedStanza = Extract<LogLine, { what: 'in' | 'out' }>

interface DayParts {
  instance: string
  client: InstanceClient
  person: Person
  readLog: () => Promise<LogLine[]>
  findEntry: (step: number) => DayEntry | undefined
  runDoctor: (args: string[]) => Promise<DoctorFinding[]>
  /** How long a check waits for what a machine or the network does. */
  patienceMs: number
}

export interface DoctorFinding {
  check: string
  state: string
  says: string
}

export class Day {
  readonly parts: DayParts
  readonly says: string[] = []
  /** Of a message with a file, which is fetched again later. */
  messageid: string | undefined
  readonly #stanzas: LogLine[] = []
  readonly #since = Date.now()
  #firstSeq = 0

  static async open(parts: DayParts): Promise<Day> {
    const day = new Day(parts)
    day.#firstSeq = (await parts.client.events({ limit: 1, payload: false })).events[0]?.seq ?? 0
    return day
  }

  private constructor(parts: DayParts) {
    this.parts = parts
  }

  say = (words: string): void => void this.says.push(words)

  /** With these lines of the protocol log in the report. */
  show(lines: readonly LogLine[]): void {
    this.#stanzas.push(...lines)
  }

  toEntry = (outcome: DayEntry['outcome']): Pick<DayEntry, 'outcome' | 'says' | 'stanzas' | 'messageid'> => ({
    outcome,
    ...(this.messageid && { messageid: this.messageid }),
    says: this.says,
    stanzas: this.#stanzas.slice(0, MAX_STANZAS).map(describeLine),
  })

  /** Lines of this instance since the step began. */
  async readLines(): Promise<LogLine[]> {
    const lines = await this.parts.readLog()
    return lines.filter(({ instance, at }) => instance === this.parts.instance && at >= this.#since)
  }

  async findStanzas(what: 'in' | 'out', isWanted: (node: LoggedNode) => boolean): Promise<LoggedStanza[]> {
    const isStanza = (line: LogLine): line is LoggedStanza => line.what === what
    return (await this.readLines()).filter(isStanza).filter(({ node }) => isWanted(node))
  }

  /** The events of this kind since the step began, oldest first. */
  async listEvents(type: string): Promise<Record<string, unknown>[]> {
    const { events } = await this.parts.client.events({ limit: 200, payload: true })
    return events
      .filter((event) => event.seq > this.#firstSeq && event.type === type)
      .map(({ payload }) => payload as Record<string, unknown>)
      .reverse()
  }

  /** What `look` finds, once it finds something; fails with these words if it does not in time. */
  async expect<Found>(look: () => Promise<Found | undefined | false>, otherwise: string): Promise<Found> {
    const end = Date.now() + this.parts.patienceMs
    while (true) {
      const found = await look()
      if (found) return found
      if (Date.now() > end) throw new StepFailed(otherwise)
      await wait(LOOK_MS)
    }
  }
}
