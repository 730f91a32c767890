// A chat that is open, known from the list or only by its number.

export interface OpenChat {
  id: string
  name: string
  isGroup: boolean
  unreadCount: number
}
