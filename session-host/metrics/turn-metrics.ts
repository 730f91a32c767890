// The metrics of shared work: who waits for what, what it costs, and who was refused.

import type { FairTurns } from '@msgnet/shared/fair-turns.ts'
import { Counter, Gauge, type Registry } from 'prom-client'

/** By the name that the metrics give the work. */
export type SharedWork = Record<string, FairTurns>

/** Read at each scrape. Owners are those that have turns or had some in the last quarter of an hour. */
export function registerTurns(registry: Registry, work: SharedWork): void {
  const registers = [registry]
  const all = Object.entries(work)
  new Gauge({
    name: 'host_turns_under_way',
    help: 'Turns at shared work that are under way.',
    labelNames: ['work'],
    registers,
    collect() {
      for (const [name, turns] of all) this.set({ work: name }, turns.underWay)
    },
  })
  new Gauge({
    name: 'host_turns_waiting',
    help: 'Turns at shared work that wait, by instance.',
    labelNames: ['work', 'owner'],
    registers,
    collect() {
      this.reset()
      for (const [name, turns] of all)
        for (const { owner, waiting } of turns.listOwners())
          if (waiting > 0) this.set({ work: name, owner }, waiting)
    },
  })
  new Counter({
    name: 'host_turns_cost_total',
    help: 'What shared work has cost: milliseconds, or bytes of files and of what the network sends.',
    labelNames: ['work'],
    registers,
    collect() {
      this.reset()
      for (const [name, turns] of all) this.inc({ work: name }, turns.cost)
    },
  })
  new Counter({
    name: 'host_turns_refused_total',
    help: 'Turns that were refused, by instance and reason: too many waiting, the minute used up, no time left.',
    labelNames: ['work', 'owner', 'reason'],
    registers,
    collect() {
      this.reset()
      for (const [name, turns] of all)
        for (const { owner, refused } of turns.listOwners())
          for (const [reason, count] of Object.entries(refused))
            if (count > 0) this.inc({ work: name, owner, reason }, count)
    },
  })
}
