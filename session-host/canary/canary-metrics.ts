// The metrics of the canary: by path and sender, whether the last message arrived, and how long it took.

import { Counter, Gauge, type Registry } from 'prom-client'
import type { Path, Try } from './canary-paths.ts'

const labelNames = ['path', 'sender'] as const

/** Without a canary they have no values. */
export class CanaryMetrics {
  readonly #tries: Counter<'path' | 'sender' | 'outcome'>
  readonly #isOk: Gauge<'path' | 'sender'>
  readonly #seconds: Gauge<'path' | 'sender'>
  readonly #refused: Gauge<'path' | 'sender' | 'code' | 'said'>
  /** The refusals that are shown: the next result of their path takes them away. */
  readonly #shown = new Map<string, Record<'path' | 'sender' | 'code' | 'said', string>>()

  /** `listConnections`: which of the two have an open connection. */
  constructor(registry: Registry, listConnections: () => { instance: string; isOpen: boolean }[]) {
    const registers = [registry]
    this.#tries = new Counter({
      name: 'host_canary_tries_total',
      help: 'Messages of the canary, by outcome.',
      labelNames: [...labelNames, 'outcome'] as const,
      registers,
    })
    this.#isOk = new Gauge({
      name: 'host_canary_ok',
      help: '1 if the last message arrived.',
      labelNames,
      registers,
    })
    this.#seconds = new Gauge({
      name: 'host_canary_seconds',
      help: 'Time from the send to the arrival of the last message that arrived.',
      labelNames,
      registers,
    })
    this.#refused = new Gauge({
      name: 'host_canary_refused',
      help: '1 while the last message is a refused one, with the code and text of the network.',
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
  }

  recordTry(path: Path, sender: string, { outcome, ms, code, details }: Try): void {
    const labels = { path, sender }
    this.#tries.inc({ ...labels, outcome })
    this.#isOk.set(labels, outcome === 'ok' ? 1 : 0)
    if (outcome === 'ok') this.#seconds.set(labels, ms / 1000)
    const place = `${path} ${sender}`
    const previous = this.#shown.get(place)
    if (previous) this.#refused.remove(previous)
    this.#shown.delete(place)
    if (outcome !== 'refused') return
    const refusal = { ...labels, code: String(code), said: details ?? '' }
    this.#shown.set(place, refusal)
    this.#refused.set(refusal, 1)
  }
}
