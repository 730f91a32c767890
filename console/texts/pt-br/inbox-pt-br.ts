// The texts of the inbox, in Brazilian Portuguese.

import type { inbox as english } from '../en/inbox-texts.ts'

export const inbox: typeof english = {
  about:
    'As conversas com mensagens não lidas, de todas as instâncias conectadas. Olhar não envia confirmação de leitura.',
  none: 'Tudo está lido.',
  noneHint: 'Uma nova mensagem em qualquer instância conectada aparece aqui sozinha.',
  noMatch: 'Nenhuma conversa à espera corresponde.',
  searchHint: 'Nome ou texto',
  all: 'Todas as instâncias',
  messages: 'Mensagens não lidas',
  chats: (count) => (count === 1 ? 'em 1 conversa' : `em ${count} conversas`),
  more: (name, count) => `${name}: mais ${count} conversas esperam`,
  newest: (count, total) => `Aparecem as ${count} de ${total} instâncias com os eventos mais novos.`,
  failed: (name) => `Não foi possível consultar ${name}.`,
  markRead: (name) => `Marcar ${name} como lida`,
  notify: 'Notificar-me aqui',
  notifyOff: 'Não me notificar mais',
  notifyOn: 'As notificações estão ligadas',
  notifyHint: 'Este navegador mostra novas mensagens enquanto o console está aberto e fora de vista.',
  notifyDenied: 'Este navegador não deixa esta página notificar você. Isso se muda ao lado do endereço.',
}
