// Formats ids for people.

export function formatId(id: string): string {
  const [name = '', server] = id.split('@')
  return server === 's.msgnet.net' ? `+${name}` : id
}
