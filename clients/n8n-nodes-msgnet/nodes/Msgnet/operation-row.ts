// The type of a row of the table of operations, which is generated.

/** How the value of a field in n8n's editor becomes what the route takes. */
export type Conversion =
  | ('text' | 'boolean' | 'integer' | 'number')
  /** Texts that are parted by commas, or by lines. */
  | ('commas' | 'lines')
  /** A time with its zone. */
  | 'time'

export interface OperationRow {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** With the names of fields in braces. */
  path: string
  takes?: 'body' | 'query'
  /** It must not happen twice, so it is sent with an Idempotency-Key. */
  isKeyed?: boolean
  /** The response is a list, in the field `items` or as it is, of which each entry is an item. */
  list?: { items: string; paging: 'offset' | 'afterId' | 'none' }
  shown: Record<string, Conversion>
  added: Record<string, Conversion>
}
