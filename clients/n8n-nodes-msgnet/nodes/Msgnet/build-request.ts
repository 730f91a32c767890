// The request of an operation, from what the form of the node has for an item.

import { createHash, randomUUID } from 'node:crypto'
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow'
import { tryToParseDateTime } from 'n8n-workflow'
import type { GatewayRequest } from '../shared/call-gateway.ts'
import type { Conversion, OperationRow } from './operation-row.ts'

export function buildRequest(node: IExecuteFunctions, row: OperationRow, itemIndex: number): GatewayRequest {
  const added = node.getNodeParameter('additionalFields', itemIndex, {}) as IDataObject
  const values: IDataObject = {}
  for (const [name, conversion] of Object.entries(row.shown))
    values[name] = convertValue(node, node.getNodeParameter(name, itemIndex), conversion)
  for (const [name, conversion] of Object.entries(row.added)) {
    const value = added[name]
    // To the gateway an empty field and an absent one are the same.
    if (value !== undefined && value !== '') values[name] = convertValue(node, value, conversion)
  }
  const path = row.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])))
  return {
    method: row.method,
    path,
    ...(row.takes === 'body' && { body: values }),
    ...(row.takes === 'query' && { query: values }),
    ...(row.isKeyed && { key: buildKey(node, added.idempotencyKey, itemIndex) }),
  }
}

function convertValue(node: IExecuteFunctions, value: unknown, conversion: Conversion): IDataObject[string] {
  switch (conversion) {
    case 'commas':
      return splitTexts(value, /[,\n]/)
    case 'lines':
      return splitTexts(value, /\n/)
    case 'time':
      return tryToParseDateTime(value, node.getTimezone()).toISO() ?? String(value)
    case 'boolean':
      return Boolean(value)
    case 'integer':
    case 'number':
      return Number(value)
    default:
      // An expression may have made a number of a phone number.
      return typeof value === 'number' ? String(value) : (value as string)
  }
}

/** An expression may be a list already. */
const splitTexts = (value: unknown, separator: RegExp): string[] =>
  (Array.isArray(value) ? value.map(String) : String(value).split(separator))
    .map((text) => text.trim())
    .filter(Boolean)

/**
 * The same for each try of this item in this run of the node, and for nothing else: a try that follows an unknown outcome sends
 * nothing twice, and a node in a loop sends in each round.
 */
function buildKey(node: IExecuteFunctions, own: unknown, itemIndex: number): string {
  if (typeof own === 'string' && own !== '') return own
  const execution = node.getExecutionId()
  if (!execution) return `n8n-${randomUUID()}`
  const { $runIndex } = node.getWorkflowDataProxy(itemIndex)
  const parts = [
    node.getInstanceId(),
    node.getWorkflow().id,
    execution,
    node.getNode().id,
    $runIndex,
    itemIndex,
  ]
  return `n8n-${createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 40)}`
}
