// The credential of both nodes: where the gateway is, and the token of one instance.

import type {
  IAuthenticateGeneric,
  ICredentialTestRequest,
  ICredentialType,
  Icon,
  INodeProperties,
} from 'n8n-workflow'

export class MsgnetApi implements ICredentialType {
  name = 'msgnetApi'
  displayName = 'Msgnet Gateway API'
  icon: Icon = { light: 'file:../nodes/Msgnet/msgnet.svg', dark: 'file:../nodes/Msgnet/msgnet.dark.svg' }
  documentationUrl = 'https://example.org/msgnet-gateway'
  properties: INodeProperties[] = [
    {
      displayName: 'Base URL',
      name: 'baseUrl',
      type: 'string',
      required: true,
      default: '',
      placeholder: 'e.g. https://gateway.example.com',
      description: 'The address of the gateway, without a path of its API',
    },
    {
      displayName: 'Instance Token',
      name: 'token',
      type: 'string',
      typeOptions: { password: true },
      required: true,
      default: '',
      placeholder: 'mgi_…',
      description: 'The token of one instance, which the gateway shows when the instance is created',
    },
  ]
  authenticate: IAuthenticateGeneric = {
    type: 'generic',
    properties: { headers: { token: '={{$credentials.token}}' } },
  }
  test: ICredentialTestRequest = {
    request: { baseURL: '={{$credentials.baseUrl}}', url: '/instance/status' },
  }
}
