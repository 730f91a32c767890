// The texts of the tab “Groups”.

export const groups = {
  create: 'New group',
  refresh: 'Reload from the network',
  none: 'This account is in no group.',
  members: (count: number) => (count === 1 ? '1 member' : `${count} members`),
  admin: 'Admin',
  name: 'Name',
  rename: 'Rename',
  numbers: 'Members',
  numbersHint: 'Numbers with country code, separated by commas.',
  picture: 'Picture',
  setPicture: 'Set the picture',
  removePicture: 'Remove the picture',
  promote: 'Make admin',
  demote: 'Dismiss as admin',
  remove: 'Remove',
  add: 'Add a number',
  addConfirm: 'Add',
  refused: (who: string, code: number) => `${who}: the network refused it (${code}).`,
}
