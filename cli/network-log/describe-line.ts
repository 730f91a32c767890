// A line of the protocol log as words to read: the time, the instance, the socket, and the stanza in its written form.

import type { LoggedNode, LogLine } from '@msgnet/shared/network-log-lines.ts'

const arrows = { in: '<-', out: '->' }

export function describeLine(line: LogLine): string {
  const place = `${new Date(line.at).toISOString()} ${line.instance.slice(0, 8)} ${line.socket}`
  switch (line.what) {
    case 'open':
      return `${place} -- socket opened`
    case 'end':
      return `${place} -- socket closed: ${line.kind} (${line.code})`
    case 'lost':
      return `${place} -- ${line.lines} lines were dropped`
    default:
      return `${place} ${arrows[line.what]} ${describeNode(line.node)}`
  }
}

function describeNode({ tag, attrs, content, more }: LoggedNode): string {
  const begin = [tag, ...Object.entries(attrs).map(([name, value]) => `${name}="${value}"`)].join(' ')
  if (content === undefined) return `<${begin}/>`
  const inner = Array.isArray(content)
    ? content.map(describeNode).join('') + (more ? `(${more} more)` : '')
    : 'bytes' in content
      ? `(bytes ${content.bytes})`
      : `(text ${content.text})`
  return `<${begin}>${inner}</${tag}>`
}
