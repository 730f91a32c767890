// The texts of the page “Health”, in Brazilian Portuguese.

import type { health as english } from '../en/health-texts.ts'

export const health: typeof english = {
  worst: {
    good: 'Tudo funciona.',
    warn: 'Funciona, com uma limitação descrita abaixo.',
    bad: 'Algo não funciona. Veja abaixo.',
  },
  kinds: { good: 'Funciona', warn: 'Atenção', bad: 'Fora do ar' },
  server: 'Servidor',
  serverUp: 'Responde.',
  serverDown: 'Não responde. Nada mais se sabe.',
  database: 'Banco de dados',
  databaseUp: 'Responde: instâncias, eventos e entregas são guardados.',
  databaseDown:
    'Não responde. As requisições são recusadas com 502 e podem ser enviadas de novo. Nenhum dado se perde.',
  hosts: 'Hosts de sessão',
  hostsUp: (count) =>
    count === 1 ? 'Um está ativo e aceita instâncias.' : `${count} estão ativos e aceitam instâncias.`,
  hostsFull:
    'Nenhum host aceita outra instância: todos estão cheios ou sendo esvaziados. As instâncias conectadas continuam conectadas.',
  hostsDown:
    'Nenhum host está ativo: nada pode ser enviado ou recebido até que um volte. Os eventos guardados continuam sendo entregues.',
  instances: 'Instâncias',
  instancesSummary: (on, all, lost) => `${on} de ${all} conectadas${lost ? `, ${lost} conectando` : ''}.`,
  delivery: 'Entrega',
  deliveryUp: 'Nenhum webhook está parado, com falhas ou aguardando.',
  deliveryDown: (stopped, failing, waiting) =>
    `Webhooks: ${stopped} parados, ${failing} com falhas, ${waiting} aguardando.`,
  modules: 'Módulos',
  modulesOn: 'Todos estão ligados.',
  modulesOff: (names) => `Todos estão ligados, exceto: ${names}.`,
}
