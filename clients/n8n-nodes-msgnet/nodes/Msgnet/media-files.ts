// Files: an item's binary data becomes a file that is sent, and the file of a message becomes binary data.

import type { IDataObject, IExecuteFunctions, INodeExecutionData, INodeProperties } from 'n8n-workflow'
import { callGateway, type GatewayRequest } from '../shared/call-gateway.ts'

const sendMedia = { resource: ['message'], operation: ['sendMedia'] }

export const mediaForm: INodeProperties[] = [
  {
    displayName: 'Binary File',
    name: 'isBinary',
    type: 'boolean',
    default: true,
    description: 'Whether the file is in a binary field of the item, of up to 9 MB',
    displayOptions: { show: sendMedia },
  },
  {
    displayName: 'Input Binary Field',
    name: 'binaryPropertyName',
    type: 'string',
    required: true,
    default: 'data',
    hint: 'The name of the field with the file',
    displayOptions: { show: { ...sendMedia, isBinary: [true] } },
  },
  {
    displayName: 'File',
    name: 'file',
    type: 'string',
    required: true,
    default: '',
    placeholder: 'e.g. https://files.example.com/invoice.pdf',
    description: 'An address that the gateway may fetch, of up to 100 MB, or a data URI, or base64',
    displayOptions: { show: { ...sendMedia, isBinary: [false] } },
  },
  {
    displayName: 'Put Output File in Field',
    name: 'binaryPropertyName',
    type: 'string',
    required: true,
    default: 'data',
    hint: 'The name of the binary field for the file',
    displayOptions: { show: { resource: ['message'], operation: ['download'] } },
  },
]

/** Adds the file to the request that sends it. */
export async function addFile(
  node: IExecuteFunctions,
  request: GatewayRequest,
  itemIndex: number,
): Promise<GatewayRequest> {
  const { body = {} } = request
  if (!node.getNodeParameter('isBinary', itemIndex))
    return { ...request, body: { ...body, file: node.getNodeParameter('file', itemIndex) as string } }
  const property = node.getNodeParameter('binaryPropertyName', itemIndex) as string
  const { fileName, file } = await readBinary(node, itemIndex, property)
  const name = body.type === 'document' && !body.docName && fileName ? { docName: fileName } : {}
  return { ...request, body: { ...body, ...name, file } }
}

/** `file`: a data URI. */
export async function readBinary(node: IExecuteFunctions, itemIndex: number, property: string) {
  const { mimeType, fileName } = node.helpers.assertBinaryData(itemIndex, property)
  const bytes = await node.helpers.getBinaryDataBuffer(itemIndex, property)
  return { mimeType, fileName, file: `data:${mimeType};base64,${bytes.toString('base64')}` }
}

/** The link is followed at the address of the credential: n8n may reach the gateway by another one than people do. */
export async function downloadFile(
  node: IExecuteFunctions,
  request: GatewayRequest,
  itemIndex: number,
): Promise<INodeExecutionData> {
  const property = node.getNodeParameter('binaryPropertyName', itemIndex) as string
  const { body } = await callGateway(
    node,
    { ...request, body: { ...request.body, return_link: true } },
    itemIndex,
  )
  const { fileURL, mimetype } = body as { fileURL: string; mimetype: string }
  const { pathname, search } = new URL(fileURL)
  const file = await callGateway(
    node,
    { method: 'GET', path: pathname + search, encoding: 'stream' },
    itemIndex,
  )
  const binary = await node.helpers.prepareBinaryData(file.body as never, undefined, mimetype)
  return { json: body as IDataObject, binary: { [property]: binary }, pairedItem: { item: itemIndex } }
}
