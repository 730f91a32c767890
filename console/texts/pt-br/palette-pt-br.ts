// The texts of the palette and of the keys, in Brazilian Portuguese.

import type { palette as english } from '../en/palette-texts.ts'

export const palette: typeof english = {
  open: 'Ir para…',
  title: 'Ir para uma página, instância ou conversa',
  hint: 'Nome ou número',
  places: 'Lugares',
  none: 'Nada tem este nome.',
  moves: '↑ ↓ para escolher, Enter para abrir',
  keys: 'Todas as teclas',
  focusSearch: 'Buscar nesta página',
  nextChat: 'Próxima conversa',
  previousChat: 'Conversa anterior',
  newLine: 'Nova linha na mensagem',
}
