// The emoji by group, and the form of their names. Apart from emoji-grid, because a test compares them without a page.

export const GROUPS = [
  '😀😃😄😁😆😅😂🤣🙂🙃😉😊😇🥰😍🤩😘😋😛😜🤪🤗🤭🤫🤔🤐😐😏😒🙄😬😌😔😴😷🤒🤢🥵🥶🤯🥳😎🤓🧐😕🙁😮😳🥺😨😢😭😱😤😡😈💩👻👽🤖',
  '👋🖐️✋👌✌️🤞🤟🤘🤙👈👉👆👇👍👎✊👊👏🙌👐🤝🙏✍️💪👀👶👧👦👩👨👵👴👮👷🤷🤦🙋🙇💁🏃🚶💃🕺👪',
  '❤️🧡💛💚💙💜🖤🤍💔💕💞💖💯✅☑️❌❗❓⚠️⛔💤💬💭🔔🎵➕➖➡️⬅️⬆️⬇️🔁🔴🟡🟢🔵',
  '🐶🐱🐭🐰🦊🐻🐼🐨🦁🐮🐷🐸🐔🐧🐦🦆🐝🦋🐢🐟🐬🌹🌷🌻🌸💐🌳🌴🌵🍀🍂☀️🌤️☁️🌧️⛈️❄️🌙⭐🌈🔥💧🌊',
  '🍎🍐🍊🍋🍌🍉🍇🍓🍒🍑🥭🍍🥥🥝🍅🥑🥕🌽🌶️🥔🍞🥐🧀🥚🍳🥓🍗🍔🍟🍕🌭🌮🥗🍝🍣🍚🍰🎂🍫🍪🍦☕🍵🍺🍷🥂',
  '🎉🎁🎈🏆⚽🏀🎮🎸🎬📷📱💻🖨️📞✉️📦🏷️💰💳🧾📅📌📎✂️✏️📖🔍🔑🔒💡🔧🧰🏠🏢🏥🏫🏖️⛪🚗🚕🚌🚲🏍️🚚🚂✈️🚀⏰⌛🗓️',
].map((group) => [...new Intl.Segmenter().segment(group)].map(({ segment }) => segment))

/** `heart8` is the word of eight of them, one after another. */
export const listNames = (names: string): string[] =>
  names.split(' ').flatMap((entry) => {
    const [word = '', count] = entry.split(/(?=\d)/)
    return Array<string>(Number(count ?? 1)).fill(word)
  })
