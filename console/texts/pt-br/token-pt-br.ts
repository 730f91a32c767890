// The texts of the page “Tokens”, in Brazilian Portuguese.

import type { tokens as english } from '../en/token-texts.ts'

export const tokens: typeof english = {
  description:
    'Um token para cada pessoa e cada programa, só com os direitos necessários. O token do ambiente não aparece aqui: ele é trocado lá.',
  notAllowed: 'Seu token não pode gerenciar tokens',
  notAllowedHint:
    'Só um token com direitos de administração lista, cria e encerra tokens. O que o seu pode fazer foi decidido quando ele foi criado.',
  none: 'Não há token de administração além do token do ambiente.',
  noneHint: 'Crie um para cada pessoa e programa, para poder encerrar cada um separadamente.',
  scoped: 'Tokens com escopo',
  scopedHint:
    'Para um agente, um programa ou uma pessoa: cada um com seus direitos, suas conversas e seu fim.',
  name: 'Nome',
  nameHint: 'Quem ou o que o usa, por exemplo “Painel”.',
  scope: 'Direitos',
  scopes: { read: 'Consultar', operate: 'Operar', admin: 'Administrar' },
  scopeHints: {
    read: 'vê instâncias, hosts e o registro de auditoria; nenhum texto de mensagem',
    operate: 'também gerencia instâncias, age por elas e altera webhooks',
    admin: 'tudo, inclusive hosts de sessão e tokens',
  },
  created: 'Criado',
  renewed: 'Renovado',
  expires: 'Expira',
  never: 'nunca',
  expired: 'Expirado',
  actions: 'Ações',
  create: 'Criar token',
  lifetime: 'Válido por',
  lifetimes: { 30: '30 dias', 90: '90 dias', 365: 'um ano', never: 'sem prazo' },
  createdTitle: (name) => `O token “${name}”`,
  newValue: (name) => `O novo valor de “${name}”`,
  once: 'Copie agora. Ele é mostrado só uma vez: o servidor guarda apenas um hash.',
  renew: 'Renovar',
  renewNamed: (name) => `Renovar ${name}`,
  renewQuestion: (name) => `Renovar “${name}”?`,
  renewHint:
    'Ele recebe um novo valor, com os mesmos direitos e o mesmo prazo. Se um valor mais antigo ainda vale por uma renovação anterior, ele deixa de valer agora. Se você entrou com este token, entre depois com o novo valor.',
  oldValueEnds: 'O valor antigo deixa de valer',
  delete: 'Excluir',
  deleteNamed: (name) => `Excluir ${name}`,
  deleteQuestion: (name) => `Excluir “${name}”?`,
  deleteHint:
    'Todo programa e toda pessoa com este token são recusados na hora, e este console também, se você entrou com ele. Não dá para desfazer.',
}
