// The texts that every page of the console has, in Brazilian Portuguese.

import type { common as english } from '../en/common-texts.ts'

export const common: typeof english = {
  name: 'msgnet gateway',
  loading: 'Carregando…',
  close: 'Fechar',
  answer: { done: (act) => `${act}: feito.`, undo: 'Desfazer', undone: (act) => `${act}: desfeito.` },
  cancel: 'Cancelar',
  copy: 'Copiar',
  copied: 'Copiado',
  save: 'Salvar',
  requestId: 'id da requisição',
  justNow: 'agora mesmo',
  search: 'Buscar',
  table: {
    sort: 'Ordenar por',
    pages: 'Páginas da lista',
    previous: 'Página anterior',
    next: 'Próxima página',
    range: (from, to, total) => (total ? `${from}–${to} de ${total}` : `${from}–${to}`),
  },
  absence: {
    gateway: 'O gateway não responde.',
    database: 'O banco de dados do gateway não responde.',
    lastGood: (time) => `Última resposta às ${time}.`,
    nextTry: (seconds) => `Nova tentativa em ${seconds} s.`,
    trying: 'Tentando de novo…',
    tryNow: 'Tentar agora',
    asOf: (time) => `dados de ${time}`,
  },
  nav: {
    label: 'Páginas',
    menu: 'Menu',
    overview: 'Visão geral',
    inbox: 'Caixa de entrada',
    instances: 'Instâncias',
    instance: 'Instância',
    webhook: 'Webhook do servidor',
    hosts: 'Hosts',
    health: 'Saúde',
    tokens: 'Tokens',
    audit: 'Auditoria',
    limits: 'Limites',
    simulation: 'Simulação',
    docs: 'Documentação',
  },
}
