// SQL for tests that write into the database what a gateway would have become of stored events.

/** Columns of `deliveries` with SQL for their values; what is left out is null. `events e` and `webhooks w` are there. */
export interface DeliveryValues {
  status: string
  attempts?: string | number
  [column: string]: string | number | undefined
}

/** Writes what became of the events at the webhooks of a position, the first if none is named. */
export function insertDeliveries(where: string, values: DeliveryValues, position = 0): string {
  const columns = Object.entries({ attempts: 1, ...values })
  return `insert into deliveries (lane, seq, ${columns.map(([name]) => name).join()})
    select w.lane, e.seq, ${columns.map(([, value]) => value).join()}
    from events e join webhooks w on w.instance_id = e.instance_id and w.position = ${position} where ${where}`
}

/** Changes the delivery of an event at the first webhook. */
export const updateDelivery = (eventId: string, change: string): string => `update deliveries set ${change}
  where (lane, seq) in (select w.lane, e.seq from events e join webhooks w on w.instance_id = e.instance_id and w.position = 0
    where e.id = '${eventId}')`

/** The delivery of an event at the first webhook, as `d`. */
export const fromDelivery = (eventId: string): string => `from events e
  join webhooks w on w.instance_id = e.instance_id and w.position = 0
  join deliveries d on d.lane = w.lane and d.seq = e.seq where e.id = '${eventId}'`

/** The attempts of an event at the first webhook before its last, as `a`. */
export const fromAttempts = (eventId: string): string => `from events e
  join webhooks w on w.instance_id = e.instance_id and w.position = 0
  join delivery_attempts a on a.lane = w.lane and a.seq = e.seq where e.id = '${eventId}'`

/** Events that wait, at any webhook, as rows. */
export const WAITING = `select d.lane, d.seq from deliveries d where d.status = 'pending'
  union select w.lane, e.seq from webhooks w join events e on e.instance_id = w.instance_id and e.seq > w.cursor
  where (e.wanted >> w.position) & 1
    and not exists (select 1 from deliveries d where d.lane = w.lane and d.seq = e.seq)`
