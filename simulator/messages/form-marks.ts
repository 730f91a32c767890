// Apart from receive-message.ts, because it is about one node: the mark without which phones show no native flow.
import { listChildren, type Stanza } from '../codec/stanza.ts'
import { Refusal } from '../network/refusal-codes.ts'

const MALFORMED = 479
const NOT_ALLOWED = 405

/**
 * Whether a message is marked as a native flow. Refused as the network refuses it: the old mark of buttons, and a mark that does not
 * name its flow (https://github.com/tulir/whatsmeow/pull/1235 has the codes).
 */
export function readFlowMark(message: Stanza): boolean {
  const [mark] = listChildren(message, 'biz')
  if (mark === undefined) return false
  if (listChildren(mark, 'buttons').length > 0) throw new Refusal(NOT_ALLOWED)
  const [interactive] = listChildren(mark, 'interactive')
  if (interactive === undefined) return false
  const [flow] = listChildren(interactive, 'native_flow')
  if (!flow?.attrs.name || interactive.attrs.type !== 'native_flow') throw new Refusal(MALFORMED)
  return true
}
