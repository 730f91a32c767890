// The node that sends messages and manages chats, groups and the instance.

import type {
  IDataObject,
  IExecuteFunctions,
  INodeExecutionData,
  INodeType,
  INodeTypeDescription,
} from 'n8n-workflow'
import { NodeApiError, NodeConnectionTypes, NodeOperationError } from 'n8n-workflow'
import { callGateway, describeFailure } from '../shared/call-gateway.ts'
import { addAlbumFiles, albumFilesForm } from './album-files.ts'
import { buildRequest } from './build-request.ts'
import { albumForm } from './generated/album-form.ts'
import { chatForm } from './generated/chat-form.ts'
import { contactForm } from './generated/contact-form.ts'
import { eventForm } from './generated/event-form.ts'
import { groupForm } from './generated/group-form.ts'
import { instanceForm } from './generated/instance-form.ts'
import { messageForm } from './generated/message-form.ts'
import { messageOperations } from './generated/message-operations.ts'
import { otherOperations } from './generated/other-operations.ts'
import { resourceOptions } from './generated/resource-choice.ts'
import { scheduledForm } from './generated/scheduled-form.ts'
import { sendingForm } from './generated/sending-form.ts'
import { textForm } from './generated/text-form.ts'
import { listEntries } from './list-pages.ts'
import { addFile, downloadFile, mediaForm } from './media-files.ts'

export class Msgnet implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Msgnet',
    name: 'msgnet',
    icon: { light: 'file:msgnet.svg', dark: 'file:msgnet.dark.svg' },
    group: ['output'],
    version: 1,
    subtitle: '={{$parameter["operation"] + ": " + $parameter["resource"]}}',
    description: 'Send messages and manage chats and groups by a msgnet gateway',
    defaults: { name: 'Msgnet' },
    usableAsTool: true,
    inputs: [NodeConnectionTypes.Main],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: 'msgnetApi', required: true }],
    properties: [
      {
        displayName: 'Resource',
        name: 'resource',
        type: 'options',
        noDataExpression: true,
        options: resourceOptions,
        default: 'message',
      },
      ...chatForm,
      ...contactForm,
      ...groupForm,
      ...instanceForm,
      ...messageForm,
      ...mediaForm,
      ...albumFilesForm,
      ...albumForm,
      ...eventForm,
      ...sendingForm,
      ...textForm,
      ...scheduledForm,
    ],
  }

  async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    const items = this.getInputData()
    const results: INodeExecutionData[] = []
    for (let itemIndex = 0; itemIndex < items.length; itemIndex++) {
      try {
        results.push(...(await runOperation(this, itemIndex)))
      } catch (error) {
        const failure =
          error instanceof NodeApiError || error instanceof NodeOperationError
            ? error
            : new NodeOperationError(this.getNode(), error as Error, { itemIndex })
        if (!this.continueOnFail()) throw failure
        results.push({ json: describeFailure(failure), pairedItem: { item: itemIndex } })
      }
    }
    return [results]
  }
}

async function runOperation(node: IExecuteFunctions, itemIndex: number): Promise<INodeExecutionData[]> {
  const resource = node.getNodeParameter('resource', itemIndex) as string
  const operation = node.getNodeParameter('operation', itemIndex) as string
  const name = `${resource}.${operation}`
  const row = messageOperations[name] ?? otherOperations[name]
  if (!row) throw new NodeOperationError(node.getNode(), `There is no operation ${name}`, { itemIndex })
  const request = buildRequest(node, row, itemIndex)
  if (name === 'message.download') return [await downloadFile(node, request, itemIndex)]
  const toItem = (json: IDataObject) => ({ json, pairedItem: { item: itemIndex } })
  if (row.list) return (await listEntries(node, request, row.list, itemIndex)).map(toItem)
  const { body } = await callGateway(
    node,
    await (fileAdders[name]?.(node, request, itemIndex) ?? request),
    itemIndex,
  )
  return [toItem(body as IDataObject)]
}

/** What completes the request of an operation with files. */
const fileAdders: Record<string, typeof addFile> = {
  'message.sendAlbum': addAlbumFiles,
  'message.sendMedia': addFile,
}
