// The files of an album: binary fields of an item, or addresses with a caption each.

import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow'
import type { GatewayRequest } from '../shared/call-gateway.ts'
import { readBinary } from './media-files.ts'

const sendAlbum = { resource: ['message'], operation: ['sendAlbum'] }

export const albumFilesForm: INodeProperties[] = [
  {
    displayName: 'Binary Files',
    name: 'isBinary',
    type: 'boolean',
    default: true,
    description: 'Whether the files are in binary fields of the item, together of up to 9 MB',
    displayOptions: { show: sendAlbum },
  },
  {
    displayName: 'Input Binary Fields',
    name: 'binaryPropertyNames',
    type: 'string',
    required: true,
    default: 'data_0,data_1',
    hint: 'The names of the fields with the files, separated by commas',
    displayOptions: { show: { ...sendAlbum, isBinary: [true] } },
  },
  {
    displayName: 'Caption',
    name: 'albumCaption',
    type: 'string',
    typeOptions: { rows: 2 },
    default: '',
    description: 'The words below the first file',
    displayOptions: { show: { ...sendAlbum, isBinary: [true] } },
  },
  {
    displayName: 'Files',
    name: 'albumFiles',
    type: 'fixedCollection',
    typeOptions: { multipleValues: true, sortable: true },
    placeholder: 'Add File',
    default: {},
    displayOptions: { show: { ...sendAlbum, isBinary: [false] } },
    options: [
      {
        displayName: 'File',
        name: 'file',
        values: [
          {
            displayName: 'Type',
            name: 'type',
            type: 'options',
            options: [
              { name: 'Image', value: 'image' },
              { name: 'Video', value: 'video' },
            ],
            default: 'image',
          },
          {
            displayName: 'File',
            name: 'file',
            type: 'string',
            default: '',
            placeholder: 'e.g. https://files.example.com/window.jpg',
            description: 'An address that the gateway may fetch, of up to 100 MB, or a data URI, or base64',
          },
          {
            displayName: 'Caption',
            name: 'text',
            type: 'string',
            default: '',
            description: 'The words below the file',
          },
        ],
      },
    ],
  },
]

/** Adds the files to the request that sends them. */
export async function addAlbumFiles(
  node: IExecuteFunctions,
  request: GatewayRequest,
  itemIndex: number,
): Promise<GatewayRequest> {
  const files = node.getNodeParameter('isBinary', itemIndex)
    ? await readBinaryFiles(node, itemIndex)
    : ((node.getNodeParameter('albumFiles.file', itemIndex, []) as IDataObject[]) ?? [])
  return { ...request, body: { ...request.body, files } }
}

/** The type of each is that of its field. */
async function readBinaryFiles(node: IExecuteFunctions, itemIndex: number): Promise<IDataObject[]> {
  const names = (node.getNodeParameter('binaryPropertyNames', itemIndex) as string).split(',')
  const text = node.getNodeParameter('albumCaption', itemIndex) as string
  const files: IDataObject[] = []
  for (const name of names.map((one) => one.trim()).filter(Boolean)) {
    const { mimeType, file } = await readBinary(node, itemIndex, name)
    const type = mimeType.startsWith('video/') ? 'video' : 'image'
    files.push({ type, file, ...(files.length === 0 && text && { text }) })
  }
  return files
}
