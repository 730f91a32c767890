// The style of the page, light and dark, wide and narrow, in the colours of the console.

const tokens = `
:root { color-scheme: light dark;
  --ground: light-dark(#ffffff, #0f1415); --side: light-dark(#f8f9f9, #12191a); --raised: light-dark(#f0f3f3, #1f282a); --line: light-dark(#e1e6e6, #263032);
  --ink: light-dark(#14201f, #e8eeee); --quiet: light-dark(#52605f, #9fb0af); --accent: light-dark(#0f766e, #2dd4bf); --on-accent: light-dark(#ffffff, #06201d);
  --accent-soft: light-dark(#e0f2ef, #143431); --bad: light-dark(#a61b12, #f98b82); --warn-soft: light-dark(#fdf1dc, #34280c);
  --code: #10191b; --code-head: #18252a; --code-ink: #dbe6e6; --code-quiet: #9db2b2;
  --get: light-dark(#1d5f9c, #7cbcf0); --post: light-dark(#0f766e, #2dd4bf); --put: light-dark(#8a5200, #fbbf24); --delete: light-dark(#a61b12, #f98b82); --event: light-dark(#6b3fa8, #c4a5f5);
  --mono: ui-monospace, 'SF Mono', 'Cascadia Code', Menlo, Consolas, 'DejaVu Sans Mono', monospace;
  font: 15px/1.6 system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', Cantarell, sans-serif; scroll-padding-top: 1.2rem }
`

const base = `
button { font: inherit }
*, ::before, ::after { box-sizing: border-box }
body { margin: 0; display: grid; grid-template-columns: 280px minmax(0, 1fr); color: var(--ink); background: var(--ground) }
a { color: var(--accent); text-decoration: none } a:hover, main p a, dd a { text-decoration: underline; text-underline-offset: 3px }
code, pre, kbd { font: .86em/1.6 var(--mono) }
:not(pre) > code { background: var(--raised); padding: .12em .35em; border-radius: 5px; overflow-wrap: break-word }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 5px }
h1, h2, h3, h4 { line-height: 1.25; text-wrap: balance } h2 a, h3 a { color: inherit; text-decoration: none } h3 a:hover, h2 a:hover { color: var(--accent) }
h1 { font-size: 2.3rem; margin: 0 0 .6rem; letter-spacing: -.03em } h2 { font-size: 1.6rem; margin: 0 0 .6rem; letter-spacing: -.02em }
h3 { font-size: 1.15rem; margin: 0 0 .5rem; letter-spacing: -.01em } h4 { font-size: .8rem; margin: 1.7rem 0 .2rem; padding-bottom: .4rem; border-bottom: 1px solid var(--line) }
.lead { font-size: 1.05rem; color: var(--quiet); max-width: 46rem; margin: 0 0 1.2rem } .quiet { color: var(--quiet); font-size: .88rem; font-weight: 400 }
summary { cursor: pointer; font-size: .86rem; font-weight: 600; padding: .3rem 0 } [hidden] { display: none !important }
b { display: inline-block; min-width: 2.9rem; font: 700 .66rem/1 var(--mono); letter-spacing: .03em; text-align: center; text-transform: uppercase; padding: .3em .4em; border-radius: 5px; color: var(--tone); background: color-mix(in srgb, var(--tone) 13%, transparent) }
.get { --tone: var(--get) } .post { --tone: var(--post) } .put { --tone: var(--put) } .patch { --tone: var(--put) } .delete { --tone: var(--delete) } .event { --tone: var(--event) }
.whole { margin: 0 0 1rem; padding: .45rem .9rem; border: 1px solid var(--line); border-radius: 8px; background: var(--ground); color: inherit; font-size: .86rem; font-weight: 600; cursor: pointer } .whole:hover { background: var(--raised) }
`

const contents = `
nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1.3rem 1rem 3rem; background: var(--side); border-right: 1px solid var(--line); font-size: .86rem; scrollbar-width: thin }
nav .bar { display: flex; justify-content: space-between; align-items: center; margin: 0 } .fold { display: none }
nav .name { font-size: 1.08rem; font-weight: 700; color: var(--ink); letter-spacing: -.01em } nav > .quiet { margin: 0 0 .9rem }
.find { display: flex; justify-content: space-between; align-items: center; width: 100%; margin-bottom: 1rem; padding: .45rem .7rem; border: 1px solid var(--line); border-radius: 9px; background: var(--ground); color: var(--quiet); cursor: pointer }
.find:hover { border-color: var(--quiet) } kbd { padding: 0 .45em; border: 1px solid var(--line); border-radius: 5px; font-size: .78em }
nav summary { list-style: none; padding: .32rem .5rem; border-radius: 7px; font-size: .88rem } nav summary::-webkit-details-marker { display: none } nav summary:hover { background: var(--raised) }
nav details[open] > summary { color: var(--accent) }
nav .part { margin: 1.2rem .5rem .4rem; padding-top: 1rem; border-top: 1px solid var(--line); font-size: .78rem; font-weight: 600 } nav .part a { color: var(--quiet) }
nav ul { list-style: none; margin: .1rem 0 .7rem .5rem; padding: 0 0 0 .35rem; border-left: 1px solid var(--line) }
nav li a { display: flex; gap: .5rem; align-items: baseline; padding: .22rem .5rem; border-radius: 7px; color: var(--quiet); overflow-wrap: anywhere; line-height: 1.4 }
nav li a:hover { color: var(--ink); text-decoration: none } nav li a[aria-current] { background: var(--accent-soft); color: var(--ink); font-weight: 550 }
nav b { font-size: .58rem; min-width: 2.7rem; padding: .2em .2em; flex: none; align-self: center; background: none; text-align: left; min-width: 2.4rem }
`

const reading = `
main { padding: 3rem clamp(1rem, 3.5vw, 3.5rem) 40vh; max-width: 1500px; width: 100% } header { margin-bottom: 4rem }
.basics { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 250px), 1fr)); gap: 1px; margin: 1.6rem 0 1rem; border: 1px solid var(--line); border-radius: 12px; background: var(--line); overflow: hidden; font-size: .9rem }
.basics div { background: var(--ground); padding: .9rem 1.1rem } .basics dt { font-weight: 600 } .basics dd { margin: 0; color: var(--quiet) }
article { margin-top: 4.5rem; padding-top: 2.5rem; border-top: 1px solid var(--line) } .start { border-top: 0; padding-top: 0 } .part[id] { margin-top: 5rem } .part > h2 { font-size: 1.9rem }
.routes { list-style: none; margin: .8rem 0 1rem; padding: 0; border: 1px solid var(--line); border-radius: 12px; overflow: hidden; font-size: .9rem }
.routes li + li { border-top: 1px solid var(--line) } .routes a { display: grid; grid-template-columns: 4rem minmax(0, 19rem) minmax(0, 1fr); gap: .8rem; align-items: center; padding: .5rem .9rem; color: inherit }
.routes a:hover { background: var(--side); text-decoration: none } .routes code { background: none; padding: 0; overflow-wrap: anywhere } .routes span:last-child { color: var(--quiet) }
.rules { max-width: 46rem; font-size: .92rem } .rules > summary { color: var(--quiet); font-weight: 550 } .rules > p { margin: .3rem 0 .6rem } .chapter-rules > p { max-width: 46rem; margin: 0 }
.operation { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 30rem); gap: clamp(1.5rem, 3vw, 3.2rem); padding: 3rem 0; border-top: 1px solid var(--line) } .routes ~ .operation:first-of-type { border-top: 0 }
.operation.step { padding: 1.1rem 0; border-top: 0 } .step .number { display: inline-grid; place-content: center; width: 1.7rem; height: 1.7rem; margin-right: .4rem; border-radius: 50%; background: var(--accent-soft); color: var(--accent); font-size: .85rem }
.step .told p { margin: .2rem 0; color: var(--quiet) } .record { padding: 2rem 0; border-top: 1px solid var(--line); max-width: 54rem } .record.wide { max-width: none }
.route { display: flex; align-items: center; gap: .6rem; margin: 0 0 .9rem; flex-wrap: wrap } .route code { background: none; padding: 0; font-size: .92em } .told > p { margin: .5rem 0 }
.needs, .codes { display: flex; flex-wrap: wrap; gap: .35rem } .needs span, .codes a { padding: .1rem .55rem; border: 1px solid var(--line); border-radius: 99px; font-size: .8rem; color: var(--quiet) } .needs code { background: none; padding: 0; color: var(--ink) }
.codes a { font-family: var(--mono); font-size: .76rem; color: var(--ink); text-decoration: none } .codes a:hover { border-color: var(--accent) } .codes a:last-child { border-color: transparent; font-family: inherit; color: var(--quiet); text-decoration: underline }
table { border-collapse: collapse; width: 100%; font-size: .9rem } td, th { text-align: left; vertical-align: top; padding: .65rem .9rem .65rem 0; border-top: 1px solid var(--line); font-weight: 400 } td p, th p { margin: 0 }
tr:first-child > * { border-top: 0 } thead th { font-size: .8rem; font-weight: 600; color: var(--quiet) } tbody tr:first-child > * { border-top: 1px solid var(--line) } thead { border: 0 } .fields tr:first-child > *, .rules-table tr:first-child > * { border-top: 0 }
.fields th { width: 1% } .fields th > code { white-space: nowrap; overflow-wrap: normal; background: none; padding: 0; font-weight: 600 } .status + td code { white-space: nowrap; overflow-wrap: normal; background: none; padding: 0; font-weight: 600 }
.fields td > :first-child { color: var(--quiet); font-size: .84rem } .fields td > :first-child code { white-space: nowrap } .fields td p + p { margin-top: .15rem }
.must, .may { display: block; color: var(--bad); font-size: .74rem } .may { color: var(--quiet) } small { margin-left: .6em; color: var(--quiet); font-size: .9em; white-space: nowrap } small::before { content: '· ' }
.status { font: 600 .84rem/1.6 var(--mono); white-space: nowrap } .rules-table { max-width: 54rem } .rules-table th { width: 14rem; font-weight: 600 } .schedule { max-width: 32rem; font-variant-numeric: tabular-nums }
.errors-table td:nth-child(4) { width: 15rem } .cure { color: var(--quiet) } .cure + p { margin-top: .6rem } .errors-table summary { padding: .2rem 0; font-weight: 500 } .users { display: flex; flex-wrap: wrap; gap: 0 .7rem; font-size: .84rem } .users a { line-height: 24px; text-decoration: none; overflow-wrap: anywhere }
:target { scroll-margin-top: 1rem } tr:target > * { background: var(--warn-soft) } tr:target > :first-child { box-shadow: -8px 0 0 var(--warn-soft) }
`

const blocks = `
.shown { position: sticky; top: 1.2rem; align-self: start; min-width: 0; max-height: calc(100vh - 2.4rem); overflow-y: auto; scrollbar-width: thin } .step .shown { position: static; max-height: none }
figure { margin: 0 0 .9rem; border-radius: 12px; background: var(--code); color: var(--code-ink); overflow: hidden; border: 1px solid light-dark(transparent, var(--line)) }
var { font: inherit } figcaption { display: flex; flex-wrap: wrap; align-items: center; gap: .2rem .9rem; padding: .5rem .9rem; font-size: .78rem; font-weight: 600; color: var(--code-ink); background: var(--code-head) } figcaption > * { font-weight: 400 } figcaption > :first-child { margin-left: auto }
.choices { display: flex; gap: .1rem } .choices button, .copy { padding: .1rem .45rem; border: 0; border-radius: 6px; background: none; color: var(--code-quiet); font-size: .76rem; cursor: pointer }
.choices button[aria-pressed=true] { background: #2b3d42; color: #fff; font-weight: 600 } .choices button:hover, .copy:hover { color: #fff } figure :focus-visible { outline-color: #5eead4; outline-offset: -2px }
pre { margin: 0; padding: .9rem; overflow: auto; max-height: 27rem; font-size: .8rem; tab-size: 4; scrollbar-width: thin } pre code { font: inherit } .step pre { max-height: 22rem }
::highlight(key) { color: #8fd3ff } ::highlight(string) { color: #9fe3c4 } ::highlight(number) { color: #ffcf8f } ::highlight(word) { color: #c9b2ff } ::highlight(comment) { color: #8aa0a0 }
.alternatives { margin-bottom: .9rem; border: 1px solid var(--line); border-radius: 12px; overflow: hidden } .alternatives details + details { border-top: 1px solid var(--line) } .alternatives summary { padding: .45rem .9rem; font-weight: 550; font-size: .84rem }
.alternatives details[open] > summary { color: var(--accent); font-weight: 600 } .alternatives figure { margin: 0; border-radius: 0; border: 0 }
.try { border: 1px solid var(--line); border-radius: 12px; padding: .15rem .9rem; margin-bottom: 2px } .try summary { color: var(--accent) } .try form { display: grid; gap: .7rem; padding: .3rem 0 .9rem } .try p { margin: 0 } .try .fields { display: contents }
.try label { display: grid; gap: .2rem; font-size: .82rem; font-weight: 550 } .try input, .try select, .try textarea { width: 100%; font: .84rem/1.5 var(--mono); padding: .45rem .6rem; border: 1px solid light-dark(#8b9897, #5d6d6c); border-radius: 8px; background: var(--ground); color: inherit } .try textarea { resize: vertical }
.send { display: flex; gap: .5rem } .send button, .fold { padding: .5rem .9rem; border: 0; border-radius: 8px; cursor: pointer; background: var(--accent); color: var(--on-accent); font-size: .84rem; font-weight: 600; overflow-wrap: anywhere; text-align: left } .send button[disabled] { opacity: .6 }
.send [type=button] { background: var(--raised); color: var(--ink) } .result { display: grid; gap: .5rem } .result:empty { display: none } .result pre { background: var(--code); color: var(--code-ink); border-radius: 9px; min-width: 0 } .result > *, .try form > * { min-width: 0 }
.search { width: min(680px, calc(100vw - 24px)); max-height: min(76vh, 760px); margin: 9vh auto auto; padding: 0; border: 1px solid var(--line); border-radius: 16px; background: var(--ground); color: var(--ink); box-shadow: 0 24px 80px #0007; overflow: hidden }
.search[open] { display: flex; flex-direction: column } .search::backdrop { background: #04100f80 } .search input { font: inherit; border: 0; outline: 0; padding: 1.05rem 1.3rem; font-size: 1.05rem; background: none; color: inherit; border-bottom: 1px solid var(--line); border-radius: 0 }
#found { overflow-y: auto; padding: .4rem .6rem } #found .group { padding: .7rem .7rem .25rem; font-size: .76rem; font-weight: 600; color: var(--quiet) } #found [role=option] { display: grid; gap: .1rem; padding: .5rem .7rem; border-radius: 9px; cursor: pointer }
#found [aria-selected=true] { background: var(--accent-soft) } #found .label { font-weight: 550; overflow-wrap: anywhere } #found .detail { display: flex; gap: .5rem; align-items: center; color: var(--quiet); font-size: .84rem; overflow-wrap: anywhere } #found code, #found b { background: none; padding: 0 } #found b { min-width: 0 } .search > .quiet { margin: 0; padding: .7rem 1.3rem; border-top: 1px solid var(--line) }
`

const screens = `
.operation, .record { content-visibility: auto; contain-intrinsic-size: auto 800px } .record { contain-intrinsic-size: auto 400px } .step { contain-intrinsic-size: auto 220px }
@media (max-width: 1180px) { .operation { grid-template-columns: minmax(0, 1fr); gap: 1.2rem } .shown { position: static; max-height: none } .routes a { grid-template-columns: 4rem minmax(0, 1fr) } .routes span:last-child { grid-column: 2 } }
@media (max-width: 760px) { body { display: block } nav { position: relative; height: auto; padding: .8rem 1rem; border-right: 0; border-bottom: 1px solid var(--line) } nav > .quiet { margin-bottom: .6rem } .find { margin: 0 } main { padding-top: 1.6rem } h1 { font-size: 1.8rem }
  .fold { display: block } .contents { display: none; max-height: 60vh; overflow-y: auto; margin-top: .8rem } nav.open .contents { display: block } article { margin-top: 3rem; padding-top: 2rem } .operation { padding: 2rem 0 }
  .fields tr, .rules-table tr { display: block } .fields th, .fields td, .rules-table th, .rules-table td { display: block; width: auto; padding: .4rem 0 } .fields td, .rules-table td { border-top: 0; padding-top: 0 } .must, .may { display: inline; margin-left: .6em } .rules-table td.codes { display: flex }
  .errors-table thead { position: absolute; clip-path: inset(50%) } .errors-table tr { display: grid; grid-template-columns: auto minmax(0, 1fr); padding: .5rem 0; border-top: 1px solid var(--line) } .errors-table td { padding: .15rem .8rem .15rem 0; border: 0 !important; width: auto !important } .errors-table td:nth-child(n+3) { grid-column: 1 / -1 }
  .routes a { grid-template-columns: 3.4rem minmax(0, 1fr); gap: .2rem .6rem } figcaption { padding: .4rem .6rem } figcaption > .choices { order: 1; flex-basis: 100%; flex-wrap: wrap; margin-left: -.3rem } .copy { margin-left: auto } }
@media print { nav, .copy, .choices, .try { display: none } body { display: block } }
`

const minify = (css: string): string => css.replaceAll('\n', '').replaceAll('  ', ' ')

export const style = minify([tokens, base, contents, reading, blocks, screens].join(''))
