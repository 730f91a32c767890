// The console's texts about a device that moves in from another program, in Spanish.

import type { imported as english } from '../en/import-texts.ts'

export const imported: typeof english = {
  title: 'O trae el dispositivo de otro programa',
  description:
    'Un archivo con la credencial de un dispositivo que otro programa ha vinculado, en líneas de JSON. Entonces no hace falta ningún código.',
  stopFirst:
    'Primero cierra el otro programa. Si los dos usan la credencial, la red solo deja que uno esté conectado.',
  file: 'El archivo con la credencial',
  sending: 'Cuánto se ha enviado',
  sent: (sent: string, all: string) => `${sent} de ${all} enviados`,
  checking: 'Enviado. Se comprueba cada línea…',
  start: 'Importar y conectar',
}
