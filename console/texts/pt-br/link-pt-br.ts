// The texts of one-time links, in Brazilian Portuguese.

import type { links as englishLinks, linkPage as englishPage } from '../en/link-texts.ts'

export const links: typeof englishLinks = {
  send: 'Enviar um link',
  titles: {
    device: 'Enviar um link à pessoa com o telefone',
    webhooks: 'Enviar um link a quem recebe os webhooks',
  },
  hints: {
    device:
      'Quem abre o link pode conectar um telefone a esta instância, e nada mais. Ele termina quando um telefone é conectado.',
    webhooks:
      'Quem abre o link vê como estão estes webhooks e o que falhou, testa e reenvia eventos. Nenhuma mensagem é mostrada e nenhuma configuração pode ser alterada.',
  },
  lifetime: 'Termina depois de',
  lifetimes: { 900: '15 minutos', 3600: '1 hora', 86400: '1 dia' },
  language: 'Idioma da página',
  languages: { '': 'O do navegador', en: 'English', 'pt-BR': 'Português', es: 'Español' },
  create: 'Criar o link',
  created: 'O link. Ele é mostrado só uma vez:',
  qrAlt: 'QR code com o link',
  active: 'Links que podem ser usados',
  ends: (time) => `termina ${time}`,
  delete: 'Encerrar',
  activeHint:
    'O endereço de um link só aparece quando ele é criado: só um hash dele é guardado. Se ele se perdeu, crie outro e encerre o antigo.',
  another: 'Criar outro',
}

export const linkPage: typeof englishPage = {
  title: 'Conecte seu telefone',
  intro: (name) => `Seu telefone será conectado a “${name}”.`,
  until: (time) => `Esta página funciona até ${time}.`,
  offline: 'O servidor não responde. A página tenta de novo sozinha.',
  ended: 'Este link terminou',
  endedHint: 'Ele expirou ou foi retirado. Peça um novo a quem o enviou.',
  linked: 'Seu telefone está conectado',
  linkedHint: 'Você já pode fechar esta página. O link não funciona mais.',
  method: 'Como conectar',
  methods: { code: 'Neste telefone, com um código', qr: 'De outra tela, com um QR code' },
  phone: 'Seu número de telefone',
  phoneHint: 'Com o código do país, por exemplo +55 11 98888-7777.',
  qrHint: 'Abra esta página em outra tela, para que o telefone possa escaneá-la.',
  get: { code: 'Receber um código', qr: 'Mostrar um QR code' },
  otherNumber: 'Usar outro número',
  requesting: 'Pedindo um código à rede…',
  qrAlt: 'QR code para escanear com seu telefone',
  refreshes: (seconds) => `Novo código em ${seconds} s`,
  codeEnds: (seconds) => `Válido por ${seconds} s`,
  renewing: 'Aguardando o próximo código…',
  steps: {
    code: [
      'Abra o aplicativo de mensagens neste telefone e, nele, “Dispositivos conectados”.',
      'Toque em “Conectar dispositivo” e depois em “Conectar com número de telefone”.',
      'Digite o código.',
    ],
    qr: [
      'Abra o aplicativo de mensagens no seu telefone e, nele, “Dispositivos conectados”.',
      'Toque em “Conectar dispositivo”.',
      'Aponte a câmera para o QR code.',
    ],
  },
  reasons: {
    '': '',
    logged_out: 'O telefone removeu este dispositivo. Você pode conectá-lo de novo.',
    replaced: 'Outra sessão tomou o lugar desta. Você pode conectar de novo.',
    banned: 'A rede bloqueou esta conta.',
    pairing_expired: 'O código não foi usado a tempo ou foi recusado no telefone. Peça um novo.',
    passkey_required: 'A conta exige uma chave de acesso, e nenhuma foi usada a tempo. Tente de novo.',
    unreachable: 'Não foi possível chegar à rede. Tente de novo daqui a pouco.',
    by_request: 'A conexão foi interrompida. Você pode começar de novo.',
    bad_session: 'A rede encerrou a última sessão. Você pode conectar de novo.',
    outdated: 'No momento a rede recusa este servidor. Avise quem enviou o link.',
  },
  refusals: {
    unreachable: 'O servidor não responde. Verifique sua conexão e tente de novo.',
    invalid_phone: 'Confira o número: são 8 a 15 dígitos, com o código do país.',
    rate_limited: 'Tentativas demais. Espere um minuto e tente de novo.',
    worker_full: 'O servidor está cheio no momento. Tente de novo em alguns minutos.',
    operation_refused: 'A rede recusou este número. Confira-o e tente de novo.',
    session_conflict: 'Um telefone acabou de ser conectado.',
    other: 'Não deu certo. Tente de novo daqui a pouco.',
  },
}
