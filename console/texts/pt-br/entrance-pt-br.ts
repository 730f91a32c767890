// The texts outside the console, in Brazilian Portuguese: the greeting, “not found”, and the sign-in.

import type { entrance as english } from '../en/entrance-texts.ts'

export const entrance: typeof english = {
  greeting: {
    title: 'Muitos telefones, uma API.',
    description:
      'Este servidor conecta aparelhos a uma rede de mensagens, envia e recebe mensagens por eles e entrega cada evento ao seu webhook: assinado, em ordem e sem perdas.',
    console: 'Abrir o console',
    docs: 'Ler a documentação',
    checking: 'Verificando a saúde…',
    ready: 'Pronto: o servidor e o banco de dados respondem.',
    notReady: 'Não está pronto: o banco de dados não responde.',
    down: 'O servidor não responde.',
    first: 'Três passos',
    steps: [
      'Crie uma instância. Ela representa um aparelho conectado.',
      'Conecte-a com um QR code, como qualquer aparelho a um telefone.',
      'Envie e receba mensagens, e defina um webhook com o endereço do seu programa.',
    ],
  },
  notFound: {
    title: 'Não há nada aqui.',
    description: 'Nenhuma página tem este endereço. Programas recebem esta resposta em JSON: 404 not_found.',
  },
  signIn: {
    title: 'Entrar',
    token: 'Token',
    hint: 'O token de admin mostra tudo; o token de uma instância mostra só essa instância.',
    where: 'npm start guarda o token de admin na pasta de dados: .data/admin-token',
    remember: 'Manter-me conectado neste computador',
    rememberHint: 'O token fica guardado neste navegador. Sem isso, ele é apagado quando a página fecha.',
    wrong: 'Este token é desconhecido. Veja se falta algum caractere no final.',
    ended: 'Seu token não vale mais: foi excluído ou substituído, ou expirou. Entre com um token válido.',
    out: 'Sair',
  },
}
