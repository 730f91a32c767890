// The console's texts about passkeys, in Brazilian Portuguese.

import type { passkey as english } from '../en/passkey-texts.ts'

export const passkey: typeof english = {
  title: 'Esta conta exige uma chave de acesso',
  description:
    'O telefone aceitou este aparelho. Antes da conexão, o dono precisa usar a chave de acesso da conta.',
  use: 'Usar a chave de acesso',
  none: (site) =>
    `O navegador não devolveu uma chave de acesso: foi cancelado, ou não há nenhuma para ${site} neste aparelho.`,
  hereOnly: 'Um navegador não tem chaves de acesso para um endereço numérico. Abra esta página como:',
  elsewhere: (site) =>
    `A chave de acesso pertence a ${site}: só um navegador nesse site pode usá-la. Isto não foi testado com a rede real.`,
  steps: (site) => [
    `No computador que tem a chave de acesso, abra https://${site} no Chrome, Edge ou Firefox.`,
    'Lá, pressione F12 (no Mac, ⌥ ⌘ I) e escolha “Console”. Cole esta linha, pressione Enter e aprove com a chave de acesso. Se o navegador avisar antes, ele diz o que digitar para permitir.',
    'O resultado já está na área de transferência. Cole aqui:',
  ],
  extension: {
    title: 'Com a extensão do navegador',
    description:
      'Ela abre a página da própria rede, pergunta ali se este gateway pode conectar a conta, e usa a chave de acesso. Precisa do Chrome, Edge ou outro navegador Chromium com a extensão “msgnet passkey”.',
    open: 'Abrir a página da rede',
    otherwise: 'Sem a extensão',
    taken: {
      title: 'A chave de acesso foi usada',
      hint: 'Continue na página em que começou. Pode fechar esta.',
    },
    notTaken: {
      title: 'Nenhuma página espera esta chave de acesso',
      hint: 'Deixe aberta a página em que começou e use a chave de acesso de novo a partir dela.',
    },
  },
  pasted: 'A asserção, em JSON',
  send: 'Enviar',
  noAssertion: 'Isto não é uma asserção. Uma asserção é JSON com id, rawId, type e response.',
  compare: 'Compare este código com o telefone',
  compareHint: 'Se o telefone mostra o mesmo código, confirme lá. Se não, recuse lá.',
  sent: 'A chave de acesso foi aceita. Esperando o telefone…',
  left: (time) => `faltam ${time}`,
  expired: 'O tempo acabou.',
}
