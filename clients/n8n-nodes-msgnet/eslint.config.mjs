// The rules of n8n for community nodes: both of its linters, each with all that they say about a package like this one.

import { n8nCommunityNodesPlugin } from '@n8n/eslint-plugin-community-nodes'
import parser from '@typescript-eslint/parser'
import nodesBase from 'eslint-plugin-n8n-nodes-base'

const plugins = { 'n8n-nodes-base': nodesBase }
const { community, credentials, nodes } = nodesBase.configs
const languageOptions = { parser }
const json = { parser, parserOptions: { extraFileExtensions: ['.json'] } }

/** Rules for the nodes inside n8n, which contradict the newer ones for packages. */
const inside = {
  'n8n-nodes-base/cred-class-field-documentation-url-miscased': 'off',
  'n8n-nodes-base/node-class-description-inputs-wrong-regular-node': 'off',
  'n8n-nodes-base/node-class-description-outputs-wrong': 'off',
}
/** It takes `action`, which is a field of the API here, for a choice of operations. */
const actionField = { 'n8n-nodes-base/node-param-operation-option-without-action': 'off' }

export default [
  { ignores: ['dist', 'package-lock.json', 'tsconfig.json'] },
  { files: ['**/*.ts', 'package.json'], ...n8nCommunityNodesPlugin.configs.recommended },
  { files: ['nodes/**/*.ts', 'credentials/**/*.ts'], languageOptions },
  { files: ['package.json'], plugins, rules: community.rules, languageOptions: json },
  { files: ['nodes/**/*.ts'], plugins, rules: { ...nodes.rules, ...inside } },
  { files: ['nodes/Msgnet/generated/group-form.ts'], rules: actionField },
  { files: ['credentials/**/*.ts'], plugins, rules: { ...credentials.rules, ...inside } },
]
