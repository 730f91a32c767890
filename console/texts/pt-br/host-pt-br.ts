// The texts of the page “Hosts”, in Brazilian Portuguese.

import type { hosts as english } from '../en/host-texts.ts'

export const hosts: typeof english = {
  description:
    'Um host de sessão mantém as conexões com a rede. Uma instância pertence a um host até a concessão (lease) desse host acabar.',
  none: 'Nenhum host de sessão registrado.',
  noRegion: 'Host de sessão',
  live: 'Ativo',
  away: 'Sem conexão',
  draining: 'Esvaziando',
  sessions: (count, slots) => `${count} de ${slots} vagas em uso`,
  lease: 'Concessão',
  leaseLeft: (seconds) => `acaba em ${seconds} s; é renovada o tempo todo`,
  lag: 'Atraso do loop',
  slow: 'Lento',
  store: 'Armazenamento',
  drain: 'Esvaziar',
  drainTitle: 'Tirar este host de serviço?',
  drainHint:
    'Ele não recebe novas instâncias, e as que tem passam para hosts com o mesmo armazenamento. Reinicie o host para encerrar isso.',
  remove: 'Remover',
}
