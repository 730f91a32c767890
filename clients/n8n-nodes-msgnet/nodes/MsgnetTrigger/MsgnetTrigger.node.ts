// The node that starts a workflow for each event of an instance.

import type {
  IDataObject,
  IHookFunctions,
  INodeType,
  INodeTypeDescription,
  IWebhookFunctions,
  IWebhookResponseData,
} from 'n8n-workflow'
import { NodeConnectionTypes } from 'n8n-workflow'
import { eventChoices, filterChoices } from './event-choices.ts'
import { isRegistered, register, unregister } from './own-webhook.ts'
import { dropSeen, SeenEvents, storeSeen } from './seen-events.ts'
import { findWebhookFault, readHeader } from './webhook-signature.ts'

const RETRY_AFTER_S = 30
/** Of all workflows of this process. */
const seenEvents = new SeenEvents()

export class MsgnetTrigger implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Msgnet Trigger',
    name: 'msgnetTrigger',
    icon: { light: 'file:msgnet.svg', dark: 'file:msgnet.dark.svg' },
    group: ['trigger'],
    version: 1,
    subtitle: '={{$parameter["events"].join(", ")}}',
    description: 'Starts the workflow when an instance of a msgnet gateway has an event',
    defaults: { name: 'Msgnet Trigger' },
    inputs: [],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: 'msgnetApi', required: true }],
    webhooks: [
      {
        name: 'default',
        httpMethod: 'POST',
        responseMode: '={{$parameter["respond"]}}',
        responseData: 'noData',
        path: 'webhook',
      },
    ],
    properties: [
      {
        displayName: 'Events',
        name: 'events',
        type: 'multiOptions',
        required: true,
        options: eventChoices,
        default: ['messages'],
        description: 'The events that start the workflow',
      },
      {
        displayName: 'Leave Out Messages',
        name: 'excludeMessages',
        type: 'multiOptions',
        options: filterChoices,
        default: ['wasSentByApi'],
        description:
          'The messages that do not start the workflow. Those sent by the API are those of this workflow too: without this filter it would start itself.',
      },
      {
        displayName: 'Respond',
        name: 'respond',
        type: 'options',
        options: [
          {
            name: 'When the Workflow Has Ended',
            value: 'lastNode',
            description: 'An event whose workflow fails is delivered again; it must end within 15 seconds',
          },
          {
            name: 'When the Workflow Has Started',
            value: 'onReceived',
            description: 'An event is delivered again until n8n has stored its execution',
          },
        ],
        default: 'onReceived',
        description: 'When the gateway hears that the event was taken',
      },
      {
        displayName: 'Options',
        name: 'options',
        type: 'collection',
        placeholder: 'Add Option',
        default: {},
        options: [
          {
            displayName: 'Chats',
            name: 'chats',
            type: 'string',
            default: '',
            placeholder: 'e.g. 5511987654321, groups',
            description:
              'Only events of these chats: numbers or IDs, separated by commas. <code>groups</code> and <code>people</code> stand for all of them.',
          },
        ],
      },
    ],
  }

  webhookMethods = {
    default: {
      async checkExists(this: IHookFunctions): Promise<boolean> {
        return await isRegistered(this)
      },
      async create(this: IHookFunctions): Promise<boolean> {
        await register(this)
        return true
      },
      async delete(this: IHookFunctions): Promise<boolean> {
        await unregister(this)
        return true
      },
    },
  }

  async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
    const data = this.getWorkflowStaticData('node')
    const headers = this.getHeaderData()
    const fault = data.secret
      ? findWebhookFault(headers, await readRawBody(this), String(data.secret))
      : 'this webhook is not registered'
    if (fault) return refuseDelivery(this, 401, fault)
    // The same event comes to each webhook of an instance with the same id.
    const key = `${data.webhookId} ${readHeader(headers, 'webhook-id')}`
    const state = seenEvents.find(key, data)
    if (state === 'taken') return refuseDelivery(this, 200, 'this event was taken before')
    if (state === 'running') return refuseDelivery(this, 503, 'the workflow of this event is running')
    followOutcome(this, data, key)
    // A workflow that fails is to have the event again, so only its start can be stored before its end.
    if (this.getNodeParameter('respond') === 'onReceived') storeSeen(data, key)
    return { workflowData: [[{ json: this.getBodyData() as IDataObject }]] }
  }
}

type Incoming = { rawBody?: Buffer; readRawBody?: () => Promise<void> }

/** n8n keeps the bytes beside the parsed body. */
async function readRawBody(call: IWebhookFunctions): Promise<Buffer> {
  const request = call.getRequestObject() as Incoming
  if (!request.rawBody) await request.readRawBody?.()
  return request.rawBody ?? Buffer.alloc(0)
}

/** The response that n8n sends says whether it has taken the event. */
function followOutcome(call: IWebhookFunctions, data: IDataObject, key: string): void {
  const response = call.getResponseObject() as import('node:http').ServerResponse
  seenEvents.mark(key, 'running')
  response.once('finish', () => {
    if (response.statusCode < 300) return seenEvents.mark(key, 'taken')
    seenEvents.forget(key)
    dropSeen(data, key)
  })
}

function refuseDelivery(call: IWebhookFunctions, status: number, reason: string): IWebhookResponseData {
  const response = call.getResponseObject() as import('node:http').ServerResponse
  const again = status === 503 ? { 'retry-after': String(RETRY_AFTER_S) } : {}
  response.writeHead(status, { 'content-type': 'application/json', ...again })
  response.end(JSON.stringify({ message: reason }))
  return { noWebhookResponse: true }
}
