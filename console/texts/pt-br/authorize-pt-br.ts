// The Portuguese texts of the page on which a client of `/mcp` is allowed to get a token.

import type { authorize as english } from '../en/authorize-texts.ts'

export const authorize: typeof english = {
  title: 'Permitir um programa',
  question: (name) => `“${name}” pede para usar uma instância deste gateway.`,
  identity: 'Descrito por',
  unverified: 'ele mesmo, apenas',
  unverifiedHint:
    'Qualquer pessoa pode dar este nome a um programa. Permita somente se você mesmo acabou de iniciá-lo.',
  returnsTo: 'Volta para',
  local:
    'A resposta vai para um programa neste computador. Permita somente se você mesmo acabou de iniciar esse programa.',
  instance: 'Instância',
  search: 'Procurar pelo nome',
  scope: 'Ele pode',
  scopes: { read: 'Ler', send: 'Ler e enviar', full: 'Tudo' },
  scopeHints: {
    read: 'mensagens, conversas, grupos, contatos',
    send: 'também responder, editar, marcar',
    full: 'tudo, menos tokens e a exclusão da instância',
  },
  chats: 'Somente nestas conversas',
  chatsHint: 'Números ou ids, “groups” ou “people”, separados por vírgulas. Vazio: todas as conversas.',
  lifetime: 'Por',
  lifetimes: { 1: 'um dia', 30: '30 dias', 90: '90 dias', 365: 'um ano' },
  endHint:
    'Ele recebe um token próprio, que você pode excluir a qualquer momento entre os tokens da instância.',
  allow: 'Permitir',
  refuse: 'Recusar',
  goBack: (host) => `Voltar para ${host}`,
  otherToken: 'Usar outro token',
}
