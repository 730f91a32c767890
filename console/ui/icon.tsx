// The icons of the console: one family on a grid of 24, drawn by a line, in the colour of the text beside them.

const circle = (x: number, y: number, r: number) =>
  `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`
const dot = (x: number, y: number) => `M${x} ${y}h.01`
const ring = circle(12, 12, 9)

const lines = {
  archive: 'M4 5h16v4.5H4zM5.5 9.5V20h13V9.5M10 13.5h4',
  attach: 'M20 11l-8.5 8.5a5 5 0 0 1-7-7L13 4a3.3 3.3 0 0 1 4.7 4.7l-8.3 8.3a1.6 1.6 0 0 1-2.3-2.3L14.5 7.5',
  back: 'M19 12H5M11 6l-6 6 6 6',
  bell: 'M6 16V11a6 6 0 0 1 12 0v5l1.5 2h-15zM10 21h4',
  block: `${ring}M5.8 5.8l12.4 12.4`,
  chat: 'M4 5h16v12h-8.5L7 21v-4H4z',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  clock: `${ring}M12 7v5l3.5 2`,
  close: 'M6 6l12 12M18 6L6 18',
  copy: 'M9 9h11v11H9zM15 9V4H4v11h5',
  docs: 'M19 18V3H6.5A1.5 1.5 0 0 0 5 4.5v15M19 18H6.5a1.5 1.5 0 0 0 0 3H19z',
  down: 'M6 9.5l6 6 6-6',
  download: 'M12 4v11M7 10.5l5 5 5-5M5 20h14',
  edit: 'M4 20l1-4.5L16 4.5l3.5 3.5L8.5 19zM13.5 7l3.5 3.5',
  error: `${ring}M12 7.5v5${dot(12, 16)}`,
  file: 'M6 3h8l4 4v14H6zM14 3v4h4',
  filter: 'M4 5h16l-6.5 8v5l-3 2v-7z',
  health: 'M3 12h4l2.5-6 5 12 2.5-6h4',
  hosts: `M4 4.5h16v6.5H4zM4 13h16v6.5H4z${dot(7.5, 7.75)}${dot(7.5, 16.25)}`,
  image: `M4 5h16v14H4zM4 16l5-5 4 4 2.5-2.5L20 17${dot(15.5, 9)}`,
  info: `${ring}M12 11v5${dot(12, 8)}`,
  instances:
    'M8 3h8a1.5 1.5 0 0 1 1.5 1.5v15A1.5 1.5 0 0 1 16 21H8a1.5 1.5 0 0 1-1.5-1.5v-15A1.5 1.5 0 0 1 8 3zM11 18h2',
  key: `${circle(8, 16, 4)}M11 13l8.5-8.5M16 8l2.5 2.5`,
  simulation: 'M9.5 3h5M10.5 3v6L5 18.5A1.7 1.7 0 0 0 6.5 21h11a1.7 1.7 0 0 0 1.5-2.5L13.5 9V3M8 15h8',
  link: 'M10 14a4.5 4.5 0 0 0 6.4 0l3-3A4.5 4.5 0 0 0 13 4.6l-1 1M14 10a4.5 4.5 0 0 0-6.4 0l-3 3a4.5 4.5 0 0 0 6.4 6.4l1-1',
  list: `M9 6h11M9 12h11M9 18h11${dot(4.5, 6)}${dot(4.5, 12)}${dot(4.5, 18)}`,
  lock: 'M5 10.5h14V20H5zM8 10.5V8a4 4 0 0 1 8 0v2.5',
  menu: 'M4 7h16M4 12h16M4 17h16',
  mic: 'M12 3a3 3 0 0 1 3 3v5a3 3 0 0 1-6 0V6a3 3 0 0 1 3-3zM6 11a6 6 0 0 0 12 0M12 17v4',
  more: `${dot(5.5, 12)}${dot(12, 12)}${dot(18.5, 12)}`,
  muted: 'M6 16V11a6 6 0 0 1 9.5-4.9M18 11v5l1.5 2H8M10 21h4M4 4l16 16',
  next: 'M9.5 6l6 6-6 6',
  overview: 'M4 4h6.5v9H4zM13.5 4H20v5h-6.5zM13.5 12H20v8h-6.5zM4 16h6.5v4H4z',
  pause: 'M8.5 5v14M15.5 5v14',
  phone:
    'M5 4h4l1.5 5L8 10.5a12 12 0 0 0 5.5 5.5L15 13.5l5 1.5v4a1.5 1.5 0 0 1-1.5 1.5A15 15 0 0 1 3.5 5.5 1.5 1.5 0 0 1 5 4z',
  pin: 'M9 4h6l-.8 6 3.3 4h-11l3.3-4zM12 14v6.5',
  place: `M12 21s7-6.2 7-11.5a7 7 0 0 0-14 0C5 14.8 12 21 12 21z${circle(12, 9.5, 2.5)}`,
  play: 'M7 4.5v15l12-7.5z',
  plus: 'M12 5v14M5 12h14',
  poll: 'M5 20V10M12 20V4M19 20v-7',
  previous: 'M14.5 6l-6 6 6 6',
  refresh: 'M20 11a8 8 0 1 0-2.3 6.6M20 5v6h-6',
  reply: 'M9 6l-5 5 5 5M4 11h9a7 7 0 0 1 7 7v1',
  search: `${circle(10.5, 10.5, 6.5)}M15.5 15.5L21 21`,
  send: 'M21 3L3 10.5l7 3.5 3.5 7zM10 14L21 3',
  settings: 'M4 7h9M17 7h3M4 17h3M11 17h9M13 5v4h4V5zM7 15v4h4v-4z',
  signOut: 'M14 4H6a1 1 0 0 0-1 1v14a1 1 0 0 0 1 1h8M17 8l4 4-4 4M21 12H10',
  smile: `${ring}M8.5 14.5a4.5 4.5 0 0 0 7 0${dot(9, 9.5)}${dot(15, 9.5)}`,
  star: 'M12 3.5l2.6 5.4 5.9.8-4.3 4.1 1 5.9-5.2-2.8-5.2 2.8 1-5.9L3.5 9.7l5.9-.8z',
  sync: 'M4 9h13l-3.5-4M20 15H7l3.5 4',
  tag: `M4 4h8l8.5 8.5-8 8L4 12z${dot(8, 8)}`,
  typing: `M4 5h16v12h-8.5L7 21v-4H4z${dot(8.5, 11)}${dot(12, 11)}${dot(15.5, 11)}`,
  up: 'M6 14.5l6-6 6 6',
  user: `${circle(12, 8, 4)}M4.5 20.5a7.5 7.5 0 0 1 15 0`,
  users: `${circle(9, 8.5, 3.5)}M2.5 20a6.5 6.5 0 0 1 13 0M16 5.3a3.5 3.5 0 0 1 0 6.4M18.5 14.8A6.5 6.5 0 0 1 21.5 20`,
  warning: `M12 4l9 16H3zM12 10v4.5${dot(12, 17.2)}`,
  webhook: 'M3 12h12M10.5 7l5 5-5 5M20.5 4v16',
} as const

export type IconName = keyof typeof lines

/** Decoration beside words; a button that has only an icon gets an `aria-label`. */
export const Icon = ({ name, size = 18 }: { name: IconName; size?: number }) => (
  <svg class="icon" viewBox="0 0 24 24" width={size} height={size} aria-hidden="true">
    <path d={lines[name]} />
  </svg>
)
