// The texts of the palette and of the keys.

export const palette = {
  open: 'Go to…',
  title: 'Go to a page, an instance or a chat',
  hint: 'Name or number',
  places: 'Places',
  none: 'Nothing has this name.',
  moves: '↑ ↓ to choose, Enter to open',
  keys: 'All keys',
  focusSearch: 'Search on this page',
  nextChat: 'Next chat',
  previousChat: 'Previous chat',
  newLine: 'New line in a message',
}
