// What the client of Kapso can ask of the service and this gateway has not, with the code that the program gets.

import type { WhatsAppClient } from '@kapso/whatsapp-cloud-api'

type Calls = Record<string, [call: () => Promise<unknown>, code: number]>

export const listRefusedCalls = (client: WhatsAppClient, phoneNumberId: string, to: string): Calls => ({
  ...listRefusedMessages(client, phoneNumberId, to),
  ...listRefusedObjects(client, phoneNumberId, to),
  ...listRefusedServices(client, phoneNumberId, to),
})

function listRefusedMessages({ messages }: WhatsAppClient, phoneNumberId: string, to: string): Calls {
  const base = { phoneNumberId, to }
  const menu = { ...base, bodyText: 'Which?' }
  return {
    // Templates belong to the service: a device sends any text.
    'messages.sendTemplate': [
      () => messages.sendTemplate({ ...base, template: { name: 'hello', language: { code: 'en' } } }),
      132001,
    ],
    // Kinds that phones take from the service alone.
    'messages.sendInteractiveProduct': [
      () => messages.sendInteractiveProduct({ ...base, catalogId: '1', productRetailerId: '2' }),
      131051,
    ],
    'messages.sendInteractiveProductList': [
      () =>
        messages.sendInteractiveProductList({
          ...menu,
          header: { type: 'text', text: 'All' },
          catalogId: '1',
          sections: [{ title: 'All', productItems: [{ productRetailerId: '2' }] }],
        }),
      131051,
    ],
    'messages.sendInteractiveFlow': [
      () => messages.sendInteractiveFlow({ ...menu, parameters: { flowId: '1', flowCta: 'Open' } }),
      131051,
    ],
    'messages.sendInteractiveAddress': [
      () => messages.sendInteractiveAddress({ ...menu, parameters: { country: 'BR' } }),
      131051,
    ],
    'messages.sendInteractiveLocationRequest': [
      () => messages.sendInteractiveLocationRequest({ ...menu, parameters: { requestMessage: 'Where?' } }),
      131051,
    ],
    'messages.sendInteractiveCallPermission': [
      () => messages.sendInteractiveCallPermission({ ...base, parameters: { phoneNumber: to } }),
      131051,
    ],
    'messages.sendInteractiveRaw': [
      () => messages.sendInteractiveRaw({ ...base, interactive: { type: 'carousel', action: {} } } as never),
      131051,
    ],
    'messages.sendInteractiveCatalogMessage': [
      () => messages.sendInteractiveCatalogMessage({ ...menu, parameters: {} } as never),
      131051,
    ],
  }
}

function listRefusedObjects(
  { messages, media, templates, phoneNumbers }: WhatsAppClient,
  phoneNumberId: string,
  to: string,
): Calls {
  const base = { phoneNumberId, to }
  const business = { businessAccountId: phoneNumberId }
  return {
    // A file that there is none of; the files of messages belong to the account.
    'messages.sendImage': [() => messages.sendImage({ ...base, image: { id: '1' } }), 100],
    'media.delete': [() => media.delete({ mediaId: '1', phoneNumberId }), 100],
    'templates.create': [
      () =>
        templates.create({
          ...business,
          name: 'hello',
          language: 'en',
          category: 'UTILITY',
          components: [{ type: 'BODY', text: 'Hello' }],
        } as never),
      100,
    ],
    'templates.delete': [() => templates.delete({ ...business, name: 'hello' }), 100],
    'templates.get': [() => templates.get({ ...business, templateId: '1' }), 100],
    // The service verifies numbers by codes; here the phone links the device.
    'phoneNumbers.requestCode': [
      () => phoneNumbers.requestCode({ phoneNumberId, codeMethod: 'SMS', language: 'en' }),
      100,
    ],
    'phoneNumbers.verifyCode': [() => phoneNumbers.verifyCode({ phoneNumberId, code: '1' }), 100],
    'phoneNumbers.deregister': [() => phoneNumbers.deregister({ phoneNumberId }), 100],
    'phoneNumbers.settings.get': [() => phoneNumbers.settings.get({ phoneNumberId }), 100],
    'phoneNumbers.settings.update': [
      () => phoneNumbers.settings.update({ phoneNumberId, fallbackLanguage: 'en' }),
      100,
    ],
  }
}

function listRefusedServices({ calls, flows }: WhatsAppClient, phoneNumberId: string, to: string): Calls {
  const base = { phoneNumberId, to }
  const call = { phoneNumberId, callId: '1' }
  const session = { sdpType: 'offer', sdp: 'sdp' }
  return {
    // Calls of the service are WebRTC sessions of a server.
    'calls.connect': [() => calls.connect({ ...base, session } as never), 100],
    'calls.preAccept': [() => calls.preAccept({ ...call, session } as never), 100],
    'calls.accept': [() => calls.accept({ ...call, session } as never), 100],
    'calls.reject': [() => calls.reject(call as never), 100],
    'calls.terminate': [() => calls.terminate(call as never), 100],
    'calls.permissions.get': [() => calls.permissions.get({ phoneNumberId, userWaId: to }), 100],
    'flows.create': [() => flows.create({ wabaId: phoneNumberId, name: 'flow' } as never), 100],
    'flows.updateAsset': [() => flows.updateAsset({ flowId: '1', json: { version: '7.0' } } as never), 100],
    'flows.publish': [() => flows.publish({ flowId: '1' } as never), 100],
    'flows.deprecate': [() => flows.deprecate({ flowId: '1' } as never), 100],
    'flows.preview': [() => flows.preview({ flowId: '1' } as never), 100],
    'flows.get': [() => flows.get({ flowId: '1' } as never), 100],
    'flows.list': [() => flows.list({ wabaId: phoneNumberId } as never), 100],
  }
}
