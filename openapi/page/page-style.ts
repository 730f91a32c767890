// The style of the page, light and dark, wide and narrow.

export const style = `
:root { color-scheme: light dark;
  --ink: light-dark(#1c2321, #e4e9e6); --quiet: light-dark(#5d6965, #94a19c); --line: light-dark(#dfe5e2, #2b3431);
  --ground: light-dark(#fff, #131817); --side: light-dark(#f5f8f6, #181e1c); --code: light-dark(#f0f4f2, #1f2725);
  --shown: light-dark(#18211f, #0d1110); --shown-ink: #d7e2dd;
  --link: light-dark(#0b7a53, #5fd3a4); --get: light-dark(#1f6fb2, #74b7ec); --post: light-dark(#0b7a53, #5fd3a4);
  --put: light-dark(#9a6200, #e5b567); --delete: light-dark(#b3372e, #f08b82); --event: light-dark(#7448b0, #bd9cf0);
  font: 15px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; scroll-padding-top: 1rem }
* { box-sizing: border-box }
body { margin: 0; display: grid; grid-template-columns: 290px minmax(0, 1fr); color: var(--ink); background: var(--ground) }
a { color: var(--link); text-decoration: none } a:hover, main p a, .type a, nav p.quiet a { text-decoration: underline }
code, pre { font: .875em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace }
:not(pre) > code { background: var(--code); padding: .1em .3em; border-radius: 4px; overflow-wrap: break-word }
nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1.2rem 1rem 3rem; background: var(--side); border-right: 1px solid var(--line); font-size: .85rem }
nav .bar { display: flex; justify-content: space-between; align-items: center; margin: 0 } .fold { display: none }
nav .part { margin: 1.8rem 0 -.6rem; padding-top: .9rem; border-top: 1px solid var(--line); font-weight: 650 } nav .part a { color: var(--ink) }
nav .name { font-size: 1.1rem; font-weight: 650; color: var(--ink) } nav p.quiet { margin: .1rem 0 .8rem }
nav h2 { font-size: .72rem; letter-spacing: .07em; text-transform: uppercase; margin: 1.3rem 0 .3rem } nav h2 a { color: var(--quiet) }
nav ul { list-style: none; margin: 0; padding: 0 }
nav li a { display: flex; gap: .5rem; align-items: baseline; padding: .16rem .45rem; border-radius: 6px; color: var(--ink); overflow-wrap: anywhere }
nav li a:hover { background: var(--code); text-decoration: none } nav li a[aria-current] { background: var(--code); font-weight: 600 }
nav .method { font-size: .62rem; width: 3.1rem; flex: none; text-align: right }
input[type=search] { width: 100%; font: inherit; padding: .45rem .65rem; border: 1px solid var(--line); border-radius: 8px; background: var(--ground); color: inherit }
input[type=search]:focus { outline: 2px solid var(--link); outline-offset: -1px }
main { padding: 2.2rem clamp(1rem, 3vw, 3rem) 40vh; max-width: 1350px; width: 100% }
h1 { font-size: 2rem; line-height: 1.2; margin: 0 0 1rem; letter-spacing: -.02em } header { max-width: 46rem }
article { margin-top: 3.5rem } article > h2 { font-size: 1.5rem; letter-spacing: -.01em; margin: 0 0 .4rem } article > p { max-width: 46rem }
.operation { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 27rem); gap: 2.2rem; padding: 1.8rem 0; border-top: 1px solid var(--line) }
.part > h2 { font-size: 1.7rem; margin: 5rem 0 .4rem } .operation.step { grid-template-columns: minmax(0, 1fr); gap: .6rem; padding: 1.1rem 0 } .step .told p { margin: .2rem 0 } .step .shown { position: static }
.operation[hidden] { display: none }
.record { padding: 1.2rem 0; border-top: 1px solid var(--line); max-width: 52rem }
h3 { font-size: 1.12rem; margin: 0 0 .25rem } h3 a { color: inherit } h4 { font-size: .85rem; margin: 1.3rem 0 .3rem }
.route { margin: .1rem 0 .8rem } .told p { margin: .5rem 0 }
.method { font: 700 .74rem/1 ui-monospace, Menlo, Consolas, monospace; letter-spacing: .03em; text-transform: uppercase }
.get { color: var(--get) } .post { color: var(--post) } .put { color: var(--put) } .delete { color: var(--delete) } .event { color: var(--event) }
.quiet { color: var(--quiet); font-size: .88rem; font-weight: 400 }
table { border-collapse: collapse; width: 100%; font-size: .88rem } td, th { text-align: left; vertical-align: top; padding: .42rem .7rem .42rem 0; border-top: 1px solid var(--line); font-weight: 400 }
tr:first-child > * { border-top: 0 } .fields th { width: 1% } .fields th > code, .status + td > code { white-space: nowrap; overflow-wrap: normal } .type { color: var(--quiet) } .type code { white-space: nowrap }
.must, .may { display: block; color: var(--delete); font-size: .72rem } .may { color: var(--quiet) } .limit { margin-left: .6em; color: var(--quiet); font-size: .92em; white-space: nowrap }
.limit::before { content: '· ' } .status { font: 600 .85rem ui-monospace, Menlo, Consolas, monospace; white-space: nowrap }
summary { cursor: pointer; font-size: .85rem; font-weight: 600; padding: .35rem 0 } .errors { margin-top: 1.1rem }
.shown { position: sticky; top: 1rem; align-self: start; max-height: calc(100vh - 2rem); overflow-y: auto }
.shown .more > summary { font-weight: 400; color: var(--quiet) }
figure { margin: 0 0 .8rem; border-radius: 9px; background: var(--shown); color: var(--shown-ink); overflow: hidden; border: 1px solid var(--line) }
figcaption { display: flex; flex-wrap: wrap; gap: .2rem .8rem; justify-content: space-between; padding: .4rem .8rem; font-size: .75rem; color: #9db0a8; border-bottom: 1px solid #ffffff14 }
.choices { display: flex; gap: .7rem; margin-left: auto } .choice { all: unset; cursor: pointer; color: #9db0a8 }
.choice[aria-pressed=true] { color: #fff; font-weight: 650 } .choice:hover, .choice:focus-visible { color: #fff; text-decoration: underline }
.in { display: none } [data-language=curl] .in.curl, [data-language=typescript] .in.typescript, [data-language=python] .in.python, [data-language=php] .in.php { display: block }
.try { border: 1px solid var(--line); border-radius: 9px; padding: .2rem .8rem } .try form { display: grid; gap: .55rem; padding: .2rem 0 .7rem } .try p { margin: 0 }
.try label { display: grid; gap: .15rem; font-size: .8rem } .try input, .try select, .try textarea { width: 100%; font: .85rem/1.45 ui-monospace, Menlo, Consolas, monospace; padding: .4rem .55rem; border: 1px solid var(--line); border-radius: 6px; background: var(--ground); color: inherit }
.try .send { display: flex; gap: .5rem } .try button, .fold { font: 600 .82rem/1 system-ui, sans-serif; padding: .55rem .8rem; border: 0; border-radius: 7px; cursor: pointer; background: light-dark(#0b6b49, #12805a); color: #fff; overflow-wrap: anywhere } .try button[disabled] { opacity: .6 }
.try pre { background: var(--code); border-radius: 6px } .schedule { max-width: 30rem }
.copy { all: unset; cursor: pointer; color: #9db0a8 } .copy:hover, .copy:focus-visible { color: #fff; text-decoration: underline }
pre { margin: 0; padding: .8rem; overflow: auto; max-height: 24rem; font-size: .8rem }
.nothing { margin-top: 3rem; color: var(--quiet) }
@media (max-width: 1080px) { .operation { grid-template-columns: minmax(0, 1fr); gap: 1rem } .shown { position: static; max-height: none } }
@media (max-width: 720px) { body { display: block } nav { position: relative; height: auto; padding-bottom: 1rem; border-right: 0; border-bottom: 1px solid var(--line) }
  .fold { display: block } .contents { display: none; max-height: 60vh; overflow-y: auto } nav.open .contents { display: block }
  .fields tr { display: block } .fields th, .fields td { display: block; width: auto; padding: .3rem 0 } .fields td { border-top: 0; padding-top: 0 } .must, .may { display: inline; margin-left: .6em }
  .errors tr, .errors-table tr { display: grid; grid-template-columns: auto minmax(0, 1fr) } .errors td, .errors-table td { padding: .3rem .7rem .1rem 0 } td:nth-child(3):last-child { grid-column: 1 / -1; border-top: 0 } }
@media print { nav, .copy { display: none } body { display: block } }
`
