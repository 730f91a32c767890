// A gauge whose value is read when the metrics are requested. While that fails, because the store or the disk does, it has no value, and the
// other metrics are served all the same.

import { Gauge, type Registry } from 'prom-client'

/** `read` sets the gauge; it may set one value for each `state`. */
export function addReadingGauge(
  registry: Registry,
  name: string,
  help: string,
  read: (gauge: Gauge<'state'>) => void | Promise<void>,
): void {
  new Gauge<'state'>({
    name,
    help,
    registers: [registry],
    // With a label, or an empty gauge would be shown as 0.
    labelNames: ['state'],
    async collect() {
      try {
        await read(this)
      } catch {
        // A fault of the store is in `host_store_failed`, and `/health` names it.
        this.reset()
      }
    },
  })
}
