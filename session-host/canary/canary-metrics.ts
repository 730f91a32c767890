// The metrics of the canary: by path and sender, what became of the last message, and how long it took.

import { Counter, Gauge, type Registry } from 'prom-client'
import type { Path, Try } from './canary-paths.ts'

export interface CanaryMetrics {
  recordTry(path: Path, instance: string, result: Try): void
}

/** Without a canary they have no values. `connected`: which of the two have an open connection. */
export function createCanaryMetrics(
  registry: Registry,
  listConnections: () => { instance: string; isOpen: boolean }[],
): CanaryMetrics {
  const registers = [registry]
  const labelNames = ['path', 'sender'] as const
  const tries = new Counter({
    name: 'host_canary_tries_total',
    help: 'Messages of the canary, by what became of them.',
    labelNames: [...labelNames, 'outcome'] as const,
    registers,
  })
  const isOk = new Gauge({
    name: 'host_canary_ok',
    help: '1 if the last message arrived.',
    labelNames,
    registers,
  })
  const seconds = new Gauge({
    name: 'host_canary_seconds',
    help: 'Time from the send to the arrival of the last message that arrived.',
    labelNames,
    registers,
  })
  const refused = new Gauge({
    name: 'host_canary_refused',
    help: 'There while the last message was refused: the code of the network, and what it said beside.',
    labelNames: [...labelNames, 'code', 'said'] as const,
    registers,
  })
  new Gauge({
    name: 'host_canary_connected',
    help: '1 while this host has an open connection of the instance.',
    labelNames: ['sender'] as const,
    registers,
    collect() {
      for (const { instance, isOpen } of listConnections()) this.set({ sender: instance }, isOpen ? 1 : 0)
    },
  })
  /** The refusals that are shown: the next result of their path takes them away. */
  const shown = new Map<string, Record<'path' | 'sender' | 'code' | 'said', string>>()

  return {
    recordTry(path, sender, { outcome, ms, code, said }) {
      const labels = { path, sender }
      tries.inc({ ...labels, outcome })
      isOk.set(labels, outcome === 'ok' ? 1 : 0)
      if (outcome === 'ok') seconds.set(labels, ms / 1000)
      const place = `${path} ${sender}`
      const previous = shown.get(place)
      if (previous) refused.remove(previous)
      shown.delete(place)
      if (outcome !== 'refused') return
      const refusal = { ...labels, code: String(code), said: said ?? '' }
      shown.set(place, refusal)
      refused.set(refusal, 1)
    },
  }
}
