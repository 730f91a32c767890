// Colours code without changing its elements: ranges of the CSS Custom Highlight API, where the browser has it.

/** In the order in which they are looked for; a range is of the first that begins there. */
const TOKENS =
  /(?<comment>(?<=^|\s)(?:\/\/|#(?!\{)).*$)|(?<key>"[^"\n]*"(?=\s*:))|(?<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`]*`)|(?<number>(?<![\w./:@-])\d[\d_]*(?:\.\d+)?(?![\w./:@-]))|(?<word>\b(?:await|async|const|let|return|if|else|for|while|do|until|done|then|import|from|export|function|func|package|type|var|def|with|as|print|new|throw|in|not|and|or|true|false|null|nil|True|False|None|echo|case|esac|curl)\b)/gm

const groups = ['comment', 'key', 'string', 'number', 'word'] as const
type Group = (typeof groups)[number]

const highlights = new Map<Group, Highlight>()
if (typeof Highlight === 'function')
  for (const group of groups) {
    const highlight = new Highlight()
    highlights.set(group, highlight)
    CSS.highlights.set(group, highlight)
  }

const rangesByCode = new WeakMap<Element, { group: Group; range: Range }[]>()

/** Only what is in sight is read: a page has hundreds of blocks. */
const inSight = new IntersectionObserver(
  (changes) => {
    for (const { isIntersecting, target } of changes) if (isIntersecting) addRanges(target)
  },
  { rootMargin: '400px' },
)

/** `code`: an element whose text is new. */
export function highlightCode(code: Element): void {
  for (const { group, range } of rangesByCode.get(code) ?? []) highlights.get(group)?.delete(range)
  rangesByCode.delete(code)
  if (highlights.size === 0) return
  // Observed anew, so that a block which is in sight already is coloured too.
  inSight.unobserve(code)
  inSight.observe(code)
}

function addRanges(code: Element): void {
  if (rangesByCode.has(code)) return
  // One text: the address of the server stands in an element of its own.
  code.replaceChildren(code.textContent)
  const [node] = code.childNodes
  if (!(node instanceof Text)) return
  const ranges = [...node.data.matchAll(TOKENS)].map((match) => {
    const group = groups.find((name) => match.groups?.[name] !== undefined) ?? 'word'
    const range = new Range()
    range.setStart(node, match.index)
    range.setEnd(node, match.index + match[0].length)
    highlights.get(group)?.add(range)
    return { group, range }
  })
  rangesByCode.set(code, ranges)
}
