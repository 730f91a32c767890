// Lists that come in pages, each entry of which becomes an item.

import type { IDataObject, IExecuteFunctions } from 'n8n-workflow'
import { callGateway, type GatewayRequest } from '../shared/call-gateway.ts'
import type { OperationRow } from './operation-row.ts'

const PAGE_SIZE = 100

type List = NonNullable<OperationRow['list']>

/** All of it, or as many entries as the form says. */
export async function listEntries(
  node: IExecuteFunctions,
  request: GatewayRequest,
  { items, paging }: List,
  itemIndex: number,
): Promise<IDataObject[]> {
  const readPage = async (page: IDataObject) => {
    const { body, query } = request
    const asked = {
      ...request,
      ...(query && { query: { ...query, ...page } }),
      ...(body && { body: { ...body, ...page } }),
    }
    return (await callGateway(node, asked, itemIndex)).body as IDataObject
  }
  if (paging === 'none') return readEntries(await readPage({}), items)
  const isAll = node.getNodeParameter('returnAll', itemIndex) as boolean
  const limit = isAll ? Number.POSITIVE_INFINITY : (node.getNodeParameter('limit', itemIndex) as number)
  const entries: IDataObject[] = []
  while (entries.length < limit) {
    const size = Math.min(PAGE_SIZE, limit - entries.length)
    const last = entries.at(-1)
    const start = paging === 'offset' ? { offset: entries.length } : last ? { afterId: last.id } : {}
    const page = await readPage({ limit: size, ...start })
    const found = readEntries(page, items)
    entries.push(...found)
    if (found.length === 0 || !(page.hasMore ?? found.length === size)) break
  }
  return entries
}

const readEntries = (page: IDataObject, items: string): IDataObject[] =>
  (items === '' ? page : page[items]) as unknown as IDataObject[]
