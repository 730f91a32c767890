// Apart from bubble-content.tsx, because what is loaded later has it too: the line that names what kind of message it is.

import { Icon, type IconName } from '../ui/icon.tsx'

export const BubbleKind = ({ icon, label }: { icon: IconName; label: string | undefined }) => (
  <p class="bubble-kind small quiet">
    <Icon name={icon} size={14} /> {label}
  </p>
)
