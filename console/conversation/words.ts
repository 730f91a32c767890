// Formats ids and times for people.

export function shortId(id: string): string {
  const [name = '', server] = id.split('@')
  return server === 's.msgnet.net' ? `+${name}` : id
}

const clock = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit' })
const day = new Intl.DateTimeFormat('en', { weekday: 'long', day: 'numeric', month: 'long' })

export const timeOf = (ms: number): string => clock.format(ms)
export const dayOf = (ms: number): string => day.format(ms)
