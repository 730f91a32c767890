// The console's texts about a device that moves in from another program, in Portuguese.

import type { imported as english } from '../en/import-texts.ts'

export const imported: typeof english = {
  title: 'Ou traga o aparelho de outro programa',
  description:
    'Um arquivo com a credencial de um aparelho que outro programa conectou, em linhas de JSON. Nenhum código é necessário então.',
  stopFirst:
    'Encerre o outro programa primeiro. Se os dois usarem a credencial, a rede só deixa um deles conectado.',
  file: 'O arquivo com a credencial',
  sending: 'Quanto foi enviado',
  sent: (sent: string, all: string) => `${sent} de ${all} enviados`,
  checking: 'Enviado. Cada linha está sendo verificada…',
  start: 'Importar e conectar',
}
