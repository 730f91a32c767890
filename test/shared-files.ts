// The files that share one gateway, because nothing that one of them does or counts can be seen by another.

export const sharing = [
  'test/clients/first-message.test.ts',
  'test/contract/acting.test.ts',
  'test/contract/answers.test.ts',
  'test/contract/client.test.ts',
  'test/contract/docs.test.ts',
  'test/contract/docs-guides.test.ts',
  'test/contract/encoded-bodies.test.ts',
  'test/contract/fields.test.ts',
  'test/contract/further-webhooks.test.ts',
  'test/contract/cached-callers.test.ts',
  'test/contract/instance-search.test.ts',
  'test/contract/openapi.test.ts',
  'test/contract/passkey.test.ts',
  'test/journey/number-forms.test.ts',
]
