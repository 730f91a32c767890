// The lines of the protocol log: what an instance's socket read and wrote, without numbers, names, keys and text.

/** What stands in place of a content that may not be stored. */
export type Outline = { bytes: number } | { text: number }

export interface LoggedNode {
  tag: string
  attrs: Record<string, string>
  content?: LoggedNode[] | Outline
  /** Children that were too many to store. */
  more?: number
}

interface LinePosition {
  /** Milliseconds since the epoch. */
  at: number
  instance: string
  /** Counts the sockets of the process, so that lines of one socket belong together. */
  socket: number
}

export type LogLine = LinePosition &
  (
    | { what: 'open' }
    | { what: 'in' | 'out'; node: LoggedNode }
    | { what: 'end'; kind: string; code: number }
    /** Lines that the disk was too slow for. */
    | { what: 'lost'; lines: number }
  )

/** In the host's DATA_DIR. */
export const NETWORK_LOG_FOLDER = ['host', 'network-log'] as const

/** NETWORK_LOG: `off`, `on`, or the ids of instances with commas between them. */
export const isNetworkLogSetting = (text: string): boolean =>
  text === 'off' || text === 'on' || parseIds(text).every((id) => UUID.test(id))
export const NETWORK_LOG_EXPECTED = 'must be off, on, or ids of instances with commas between them'

/** Of a value other than `off`. */
export const parseLoggedInstances = (text: string): 'on' | string[] => (text === 'on' ? 'on' : parseIds(text))

const parseIds = (text: string): string[] => text.split(',').map((id) => id.trim())
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

type RecordedLine = { what: 'in' | 'out'; node: LoggedNode } | { what: 'end' }

/** The lines of an instance, a list for each of its sockets; of the first instance unless one is named. */
export function groupBySocket(lines: readonly LogLine[], instance = findInstance(lines)): RecordedLine[][] {
  const sockets = new Map<number, RecordedLine[]>()
  for (const line of lines) {
    if (line.instance !== instance || line.what === 'lost') continue
    const socket = sockets.get(line.socket) ?? []
    sockets.set(line.socket, socket)
    if (line.what !== 'open') socket.push(line)
  }
  return [...sockets.values()]
}

const findInstance = (lines: readonly LogLine[]): string =>
  lines.find(({ instance }) => instance !== '')?.instance ?? ''
