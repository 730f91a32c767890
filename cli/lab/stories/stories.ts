// The recorded stories: what has happened to programs of callers, played again so that a program sees exactly that.

import { OperatorError } from '@msgnet/shared/node/operator-errors.ts'
import type { Lab, LabInstance } from '../lab-world.ts'
import { connectionStories } from './connection-stories.ts'
import { deliveryStories } from './delivery-stories.ts'
import { messageStories } from './message-stories.ts'
import { sendStories } from './send-stories.ts'
import type { Story, StoryResult } from './story-parts.ts'

export const stories: Story[] = [...deliveryStories, ...sendStories, ...connectionStories, ...messageStories]

/** Plays one of them to this instance. */
export async function playStory(lab: Lab, name: string, instance: LabInstance): Promise<StoryResult> {
  const story = findStory(name)
  try {
    return await story.play(lab, instance)
  } catch (error) {
    // The next story begins with a receiver that is there.
    lab.receiver.change({ away: 0, forget: 0, dawdle: 0 }, instance.id)
    throw error
  }
}

/** Throws an OperatorError that lists the names. */
export function findStory(name: string): Story {
  const found = stories.find((story) => story.name === name)
  if (!found)
    throw new OperatorError(
      `story: there is no ${name}, but ${stories.map((story) => story.name).join('; ')}.`,
    )
  return found
}
