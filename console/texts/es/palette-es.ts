// The texts of the palette and of the keys, in Spanish.

import type { palette as english } from '../en/palette-texts.ts'

export const palette: typeof english = {
  open: 'Ir a…',
  title: 'Ir a una página, una instancia o un chat',
  hint: 'Nombre o número',
  places: 'Lugares',
  none: 'Nada tiene este nombre.',
  moves: '↑ ↓ para elegir, Enter para abrir',
  keys: 'Todas las teclas',
  focusSearch: 'Buscar en esta página',
  nextChat: 'Chat siguiente',
  previousChat: 'Chat anterior',
  newLine: 'Nueva línea en el mensaje',
}
