// The texts of errors, by the code of the API, in Brazilian Portuguese.

import type { errors as english } from '../en/error-texts.ts'

export const errors: typeof english = {
  unreachable: 'O gateway não respondeu. Ele está em execução?',
  part_not_loaded:
    'Não foi possível carregar esta parte do console. Se acontecer de novo, recarregue a página.',
  unauthorized: 'O token não é mais válido. Entre de novo.',
  not_connected: 'A instância não está conectada. Conecte-a primeiro ou espere até que volte.',
  session_conflict: 'A sessão não pode fazer isso no estado atual.',
  worker_full: 'Nenhum host de sessão tem vaga livre.',
  rate_limited: 'Requisições demais em pouco tempo. Espere um pouco e tente de novo.',
  storage_unavailable: 'O banco de dados não respondeu. Nada foi alterado: tente de novo.',
  msgnet_unreachable: 'Não foi possível alcançar a rede de mensagens ou o host desta sessão.',
  outcome_unknown:
    'A rede não respondeu a tempo. A requisição pode ter surtido efeito: não a envie de novo. O resultado aparece quando for conhecido.',
  not_on_network: 'Este número não tem conta na rede.',
  operation_refused: 'A rede recusou.',
  media_unavailable: 'Não foi possível baixar o arquivo.',
  webhooks_disabled: 'Os webhooks estão desligados neste servidor.',
  body_too_large: 'A requisição é grande demais.',
  internal: 'Ocorreu um erro inesperado. Os detalhes estão no log, sob o id da requisição.',
  not_in_group: 'A conta conectada não está no grupo.',
  not_admin: 'A conta conectada não é admin do grupo.',
  calls_not_supported: 'O módulo de chamadas está desligado neste servidor.',
  insufficient_scope: 'Seu token não tem os direitos para isto. Entre com um que os tenha.',
}
